--- What became of a command whose sidecar ended before it answered: the next sidecar answers that from the journal. Until
--- then it may be partially applied, and that is what is said.
local log = require('sidefork.log')
local operation = require('sidefork.operation')
local words = require('sidefork.words')

local M = {}

local pause = 1000 -- milliseconds between two questions, while it still runs

---@param outcome table
---@return sidefork.Failure
local function failure_of(outcome)
  if outcome.error then
    return outcome.error
  end
  local states = {
    rolledBack = { 'rolledBack', 'The sidecar ended in the middle of it.' },
    failed = { 'kept', 'It failed, and something of it stands.' },
    unknownOperation = { 'unknown', 'No sidecar knows of it, so it is not known whether anything was written.' },
  }
  local state = states[outcome.state] or states.unknownOperation
  local failure = { effect = state[1], reason = { code = 'sidecarLost', message = state[2] } }
  if outcome.stands then
    failure.detail = table.concat({ outcome.stands.workspace, outcome.stands.branch }, '\n')
  end
  return failure
end

--- Ask until it is settled.
---@param id string the operation's
---@param repository string
---@param lost sidefork.Failure how the sidecar ended
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.settle(id, repository, lost, answered)
  log.notify(
    words.reason(lost.reason) .. '\nIt may be partially applied. Another sidecar is asked what became of it.',
    vim.log.levels.WARN
  )
  local function ask()
    operation.read('sidefork.outcome', { operationId = id, repository = repository }, function(failure, outcome)
      if failure then
        lost.detail = 'What became of it could not be asked: ' .. words.reason(failure.reason)
        return answered(lost)
      elseif outcome.state == 'running' then
        vim.defer_fn(ask, pause)
      elseif outcome.state == 'completed' and outcome.result then
        answered(nil, outcome.result)
      else
        answered(failure_of(outcome))
      end
    end)
  end
  ask()
end

--- Run a command that writes: its answer, or what the journal says where the sidecar was lost.
---@param command string
---@param argument table with an operationId
---@param options { title: string, answers?: table[], repository: string }
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.execute(command, argument, options, answered)
  operation.execute(command, argument, options, function(failure, result)
    if failure and failure.lost then
      return M.settle(argument.operationId, options.repository, failure, answered)
    end
    answered(failure, result)
  end)
end

return M
