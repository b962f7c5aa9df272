--- A workspace is removed, once the person has said so. What would be lost is the sidecar's to find, and to refuse.
local log = require('sidefork.log')
local operation = require('sidefork.operation')
local outcome = require('sidefork.outcome')
local plan = require('sidefork.plan')
local task = require('sidefork.task')
local words = require('sidefork.words')
local workspaces = require('sidefork.workspaces')

local M = {}

---@param argument table
---@return sidefork.Failure?
---@return table?
local function execute(argument)
  argument.operationId = operation.uuid()
  return task.await(function(answered)
    local options = { title = 'Remove', repository = argument.repository or argument.workspace }
    outcome.execute('sidefork.remove', {
      operationId = argument.operationId,
      workspace = argument.workspace,
      branch = argument.branch,
      force = argument.force,
    }, options, answered)
  end)
end

---@param result table
local function tell(result)
  local lines = { ('%s is removed.'):format(words.line(result.removed)) }
  for _, lost in ipairs(result.lost or {}) do
    lines[#lines + 1] = ('Gone: %s (%s)'):format(words.line(lost.path), words.line(lost.reason))
  end
  for _, warning in ipairs(result.warnings or {}) do
    lines[#lines + 1] = words.reason(warning)
  end
  if result.restore and #result.restore > 0 then
    lines[#lines + 1] = 'These bring it back:'
    for _, argv in ipairs(result.restore) do
      lines[#lines + 1] = '  ' .. plan.command(argv)
    end
  end
  log.notify(table.concat(lines, '\n'))
  operation.event('SideforkRemoved', { result = result })
end

---@param failure sidefork.Failure
---@return string[] kinds
local function kinds(failure)
  return vim.tbl_map(function(reason)
    return reason.code
  end, failure.reasons or { failure.reason })
end

--- Remove a workspace.
---@param options? { path?: string } without a path one is chosen
function M.remove(options)
  options = options or {}
  task.run(function()
    local list, where = workspaces.here('remove', options.path)
    if not list or not where then
      return
    end
    local chosen = options.path and workspaces.of(list, where.folder)
    if not options.path then
      chosen = task.select(
        vim.tbl_filter(function(one)
          return not one.main
        end, list),
        { prompt = 'Workspace to remove', kind = 'sidefork.workspace', format_item = workspaces.line }
      )
    end
    if not chosen then
      return
    end
    local alone, both = 'Remove it, keep its branch', 'Remove it and its branch'
    local how = task.select(
      { alone, both },
      { prompt = ('Remove %s'):format(words.line(chosen.path)), kind = 'sidefork.remove' }
    )
    if not how then
      return
    end
    local argument = { workspace = chosen.path, branch = how == both, repository = list[1] and list[1].path }
    local failure, result = execute(argument)
    if failure and failure.effect == 'nothing' and not failure.lost then
      local why = words.failure(failure)
      log.add(why)
      local anyway = 'Remove it all the same (what can be stored is, and can be brought back)'
      local said = task.select({ 'Keep it', anyway }, { prompt = why, kind = 'sidefork.remove.force' })
      if said ~= anyway then
        return
      end
      argument.force = kinds(failure)
      failure, result = execute(argument)
    end
    if failure then
      return log.failed(failure)
    elseif result and result.status == 'cancelled' then
      return log.notify('Cancelled. What was begun has been taken back completely.')
    elseif result then
      tell(result)
    end
  end)
end

return M
