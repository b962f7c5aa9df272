--- The conversations of a workspace, its repository or all: one is chosen, and forked.
local client = require('sidefork.client')
local log = require('sidefork.log')
local operation = require('sidefork.operation')
local place = require('sidefork.place')
local task = require('sidefork.task')
local words = require('sidefork.words')

local M = {}

---@param session table
---@return string
local function line(session)
  local title = session.title ~= '' and session.title or session.firstPrompt ~= '' and session.firstPrompt or session.id
  local at = (session.lastActivity or ''):gsub('T', ' '):gsub('%..*Z$', 'Z')
  local parts = { session.agent, words.short(title, 80), at }
  parts[#parts + 1] = session.state == 'live' and (session.status or 'live') or nil
  if session.fork.reason then
    parts[#parts + 1] = '(' .. words.line(session.fork.reason.message) .. ')'
  end
  return words.line(table.concat(parts, ' · '))
end

--- All of them, for other plugins.
---@param argument table that of `sidefork.sessions`
---@param answered fun(failure: sidefork.Failure?, sessions: table[]?)
function M.list(argument, answered)
  operation.read('sidefork.sessions', argument, function(failure, page)
    answered(failure, page and page.sessions)
  end)
end

--- `:Sidefork sessions [workspace|repository|all]`
---@param scope? string
function M.pick(scope)
  task.run(function()
    local folder ---@type string?
    if scope ~= 'all' then
      local where = place.ask()
      if not where then
        return
      end
      folder = where.folder
    end
    local failure = task.await(client.ready)
    local lacks = client.lacks('sessions')
    if failure or lacks then
      return log.failed(failure or { reason = lacks, effect = 'nothing' })
    end
    local page
    failure, page = task.await(function(answered)
      local argument = { workspace = folder, scope = scope or 'workspace', limit = 200 }
      operation.read('sidefork.sessions', argument, answered)
    end)
    if failure then
      return log.failed(failure)
    end
    for _, problem in ipairs(page.problems or {}) do
      log.add(('%s: %s'):format(problem.source, problem.message))
    end
    if #page.sessions == 0 then
      return log.notify('There are no conversations here.')
    end
    local session =
      task.select(page.sessions, { prompt = 'Session to fork', kind = 'sidefork.session', format_item = line })
    if not session then
      return
    elseif session.fork.reason then
      return log.notify(words.reason(session.fork.reason), vim.log.levels.WARN)
    end
    require('sidefork.fork').fork({
      path = session.workspace or session.cwd,
      session = { agent = session.agent, id = session.id },
    })
  end)
end

return M
