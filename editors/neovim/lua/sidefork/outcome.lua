--- What became of a command of which that is not known, since its sidecar ended before it answered, for one: the next sidecar
--- answers that from the journal. Until then it may be partially applied, and that is what is said.
local log = require('sidefork.log')
local operation = require('sidefork.operation')
local words = require('sidefork.words')

local M = {}

local pause = 1000 -- milliseconds between two questions, while it still runs

---@param outcome table
---@param uncertain sidefork.Failure
---@return sidefork.Failure
local function failure_of(outcome, uncertain)
  if outcome.error then
    return outcome.error
  end
  local effects = { rolledBack = 'rolledBack', failed = 'kept' }
  local failure = vim.tbl_extend('force', uncertain, { effect = effects[outcome.state] or 'unknown', lost = false })
  if outcome.stands then
    failure.detail = table.concat({ outcome.stands.workspace, outcome.stands.branch }, '\n')
  elseif outcome.state == 'unknownOperation' then
    failure.detail = 'No sidecar knows of it.'
  end
  return failure
end

--- Ask until it is settled.
---@param id string the operation's
---@param repository string
---@param uncertain sidefork.Failure why that is not known
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.settle(id, repository, uncertain, answered)
  log.notify(
    words.reason(uncertain.reason) .. '\nIt may be partially applied. The sidecar is asked what became of it.',
    vim.log.levels.WARN
  )
  local function ask()
    operation.read('sidefork.outcome', { operationId = id, repository = repository }, function(failure, outcome)
      if failure then
        local why = 'What became of it could not be asked: ' .. words.reason(failure.reason)
        answered(vim.tbl_extend('force', uncertain, { detail = why, lost = false }))
      elseif outcome.state == 'running' then
        vim.defer_fn(ask, pause)
      elseif outcome.state == 'completed' and outcome.result then
        answered(nil, outcome.result)
      else
        answered(failure_of(outcome, uncertain))
      end
    end)
  end
  ask()
end

--- Run a command that writes: its answer, or what the journal says where that is not known.
---@param command string
---@param argument table with an operationId
---@param options { title: string, answers?: table[], repository: string }
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.execute(command, argument, options, answered)
  operation.execute(command, argument, options, function(failure, result)
    if failure and failure.effect == 'unknown' then
      return M.settle(argument.operationId, options.repository, failure, answered)
    end
    answered(failure, result)
  end)
end

return M
