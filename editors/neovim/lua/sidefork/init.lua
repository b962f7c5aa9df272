--- What other plugins and a user's configuration can call. Nothing here has to be called for :Sidefork to work.
local M = {}

--- Set options. vim.g.sidefork does the same, without a call.
---@param options? sidefork.Config|table
function M.setup(options)
  require('sidefork.config').set(options)
end

--- Fork the conversation of a buffer or a folder; without `argument.name` everything is asked.
---@param options? sidefork.ForkOptions
function M.fork(options)
  require('sidefork.fork').fork(options)
end

--- Choose a conversation and fork it.
---@param scope? 'workspace'|'repository'|'all'
function M.sessions(scope)
  require('sidefork.sessions').pick(scope)
end

--- Choose a workspace and what to do with it.
function M.workspaces()
  require('sidefork.workspaces').pick()
end

--- Show what a workspace has changed.
---@param options? { path?: string, with?: string, done?: fun(failure: sidefork.Failure?, result: table?) }
function M.compare(options)
  require('sidefork.compare').compare(options)
end

--- Remove a workspace, after it was confirmed.
---@param options? { path?: string }
function M.remove(options)
  require('sidefork.remove').remove(options)
end

--- Cancel what runs.
---@return integer how many
function M.cancel()
  return require('sidefork.operation').cancel()
end

--- What is being done, for a status line; '' where nothing is. It holds nothing that a status line interprets.
---@return string
function M.statusline()
  local operation = package.loaded['sidefork.operation']
  return operation and operation.statusline() or ''
end

--- Ask the sidecar anything of its contract (docs/contract.md).
---@param command string such as 'sidefork.inspect'
---@param argument table
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.ask(command, argument, answered)
  require('sidefork.operation').ask(command, argument, answered)
end

--- Why something cannot be asked for; nil where it can, or where no sidecar has told yet.
---@param ... string names of features
---@return sidefork.Reason?
function M.lacks(...)
  return require('sidefork.client').lacks(...)
end

--- End the sidecar. The next question starts another one.
function M.stop()
  require('sidefork.client').stop()
end

return M
