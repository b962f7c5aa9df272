--- The workspaces of a repository as a tree: one is chosen, then what to do with it.
local client = require('sidefork.client')
local log = require('sidefork.log')
local open = require('sidefork.open')
local operation = require('sidefork.operation')
local place = require('sidefork.place')
local task = require('sidefork.task')
local words = require('sidefork.words')

local M = {}

--- All of a folder's repository, a child after its parent.
---@param folder string
---@param answered fun(failure: sidefork.Failure?, workspaces: table[]?)
function M.list(folder, answered)
  operation.read('sidefork.workspaces', { folders = { folder } }, function(failure, result)
    if failure then
      return answered(failure)
    end
    for _, warning in ipairs(result.warnings or {}) do
      log.notify(words.reason(warning) .. '\n' .. words.text(warning.detail), vim.log.levels.WARN)
    end
    local list = {}
    for _, repository in ipairs(result.repositories) do
      vim.list_extend(list, repository.workspaces)
    end
    answered(nil, list)
  end)
end

--- Those of where the person is. In a task.
---@param feature string that is needed
---@param path? string
---@return table[]? workspaces nil: it was said why not
---@return sidefork.Place?
function M.here(feature, path)
  local where = place.ask(nil, path)
  if not where then
    return nil
  end
  local failure = task.await(client.ready)
  local lacks = client.lacks('workspaces', feature)
  if failure or lacks then
    log.failed(failure or { reason = lacks, effect = 'nothing' })
    return nil
  end
  local list
  failure, list = task.await(function(answered)
    M.list(where.folder, answered)
  end)
  if failure then
    log.failed(failure)
    return nil
  end
  return list, where
end

--- The workspace that a folder lies in: of those that hold it the innermost.
---@param list table[]
---@param folder string
---@return table?
function M.of(list, folder)
  local found
  for _, one in ipairs(list) do
    local inside = one.path == folder or vim.startswith(folder, one.path .. '/')
    if inside and (not found or #one.path > #found.path) then
      found = one
    end
  end
  return found
end

---@param workspace table
---@return string
function M.line(workspace)
  local parts = { ('  '):rep(workspace.depth) .. words.line(workspace.name) }
  parts[#parts + 1] = workspace.branch ~= '' and words.line(workspace.branch) or nil
  for _, flag in ipairs({ 'detached', 'locked', 'missing', 'archived' }) do
    parts[#parts + 1] = workspace[flag] and flag or nil
  end
  if workspace.agentsLive > 0 then
    parts[#parts + 1] = ('%d live'):format(workspace.agentsLive)
  end
  return table.concat(parts, ' · ')
end

--- `:Sidefork workspaces`
function M.pick()
  task.run(function()
    local list = M.here('workspaces')
    if not list then
      return
    end
    local chosen = task.select(list, { prompt = 'Workspaces', kind = 'sidefork.workspace', format_item = M.line })
    if not chosen then
      return
    end
    local why = chosen.fork.reason and (' (%s)'):format(words.line(chosen.fork.reason.message)) or ''
    local acts = {
      {
        'Open',
        function()
          open.workspace(chosen.path, chosen.branch)
        end,
      },
      {
        'Fork' .. why,
        function()
          require('sidefork.fork').fork({ path = chosen.path })
        end,
      },
      {
        'Compare with its parent',
        function()
          require('sidefork.compare').compare({ path = chosen.path })
        end,
      },
      {
        'Remove',
        function()
          require('sidefork.remove').remove({ path = chosen.path })
        end,
      },
    }
    local act = task.select(acts, {
      prompt = words.line(chosen.path),
      kind = 'sidefork.workspace.act',
      format_item = function(item)
        return item[1]
      end,
    })
    if act then
      act[2]()
    end
  end)
end

return M
