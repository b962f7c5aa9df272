--- A fork from top to bottom: which folder, which conversation, the dialog, the sidecar's work, and the child opens.
local client = require('sidefork.client')
local config = require('sidefork.config')
local dialog = require('sidefork.dialog')
local log = require('sidefork.log')
local open = require('sidefork.open')
local operation = require('sidefork.operation')
local outcome = require('sidefork.outcome')
local place = require('sidefork.place')
local task = require('sidefork.task')
local terminal = require('sidefork.terminal')
local unsaved = require('sidefork.unsaved')
local words = require('sidefork.words')

local M = {}

---@class sidefork.ForkOptions
---@field buf? integer what the fork is of: the current buffer
---@field path? string the folder to fork, instead of the buffer's
---@field session? { agent: string, id: string } the conversation that is preselected
---@field argument? table more of a fork's argument (docs/contract.md, `ForkParams`); with a `name` nothing is asked
---@field open? boolean false: the child is not opened
---@field done? fun(failure: sidefork.Failure?, result: table?) called once, at the end; without both it was left

---@param failure sidefork.Failure?
---@param result table?
---@param options sidefork.ForkOptions
local function done(failure, result, options)
  if failure then
    log.failed(failure)
    operation.event('SideforkFailed', { failure = failure })
  end
  if options.done then
    options.done(failure, result)
  end
end

--- Say and open what a fork has made.
---@param result table
---@param made table<string, integer> by the child's folder, the buffer of its agent
---@param options sidefork.ForkOptions
local function made_one(result, made, options)
  local path = result.workspace.path
  operation.event('SideforkForked', { result = result })
  if options.open ~= false then
    local opened, buf = pcall(open.open, result)
    if opened then
      made[path] = buf
    else
      log.notify(
        ('The fork stands in %s, but was not opened: %s'):format(path, words.line(tostring(buf))),
        vim.log.levels.ERROR
      )
    end
  end
  vim.cmd.redraw() -- or it would wipe out what is said now
  log.notify(('Forked into %s (%s).'):format(result.workspace.branch, path))
  for _, warning in ipairs(result.warnings or {}) do
    log.notify(words.reason(warning) .. '\n' .. words.text(warning.detail), vim.log.levels.WARN)
  end
end

--- A text that the agent has not been given: whether to paste it is the person's to say, for an agent that takes no pastes
--- would take each line of it for a message.
---@param buf integer?
---@param draft string
local function offer_draft(buf, draft)
  task.run(function()
    local paste, show = 'Paste it into the prompt, where an agent that takes pastes is', 'Show it in a buffer'
    local choices = buf and vim.api.nvim_buf_is_valid(buf) and { paste, show } or { show }
    local chosen = task.select(
      choices,
      { prompt = 'The text of the terminal is not in the agent’s prompt', kind = 'sidefork.draft' }
    )
    if chosen == paste and buf and vim.api.nvim_buf_is_valid(buf) then
      terminal.paste(buf, draft)
    elseif chosen == show then
      log.show('draft', vim.split(words.text(draft), '\n'))
    end
  end)
end

-- By operation, the forks whose agent has not said yet that it is up.
---@type table<string, { made: table<string, integer>, drafts: table<string, string> }>
local starting = {}

client.on('sidefork/started', function(params)
  local fork = starting[params.operationId]
  if params.warning then
    log.notify(words.reason(params.warning) .. '\n' .. words.text(params.warning.detail), vim.log.levels.WARN)
  end
  operation.event('SideforkStarted', params)
  local draft = params.draft or (fork and not params.warning and fork.drafts[params.workspace])
  if draft then
    if fork then
      fork.drafts[params.workspace] = nil
    end
    offer_draft(fork and fork.made[params.workspace], draft)
  end
end)

---@param argument table
---@param answers table[]
---@param options sidefork.ForkOptions
local function run(argument, answers, options)
  local given = { title = 'Fork', answers = #answers > 0 and answers or nil, repository = argument.workspace }
  outcome.execute('sidefork.fork', argument, given, function(failure, result)
    if failure then
      return done(failure, nil, options)
    elseif result.status == 'cancelled' then
      log.notify('Cancelled. What was begun has been taken back completely.')
      operation.event('SideforkCancelled', {})
      return done(nil, result, options)
    end
    local fork = { made = {}, drafts = {} }
    starting[argument.operationId] = fork
    local all = result.copies or { result }
    for _, one in ipairs(all) do
      if one.error then
        log.notify(('%s: %s'):format(one.name, words.failure(one.error)), vim.log.levels.ERROR)
      else
        if one.draft and one.launch then
          fork.drafts[one.workspace.path] = one.draft
        end
        made_one(one, fork.made, options)
      end
    end
    if result.copies then
      for _, warning in ipairs(result.warnings or {}) do
        log.notify(words.reason(warning), vim.log.levels.WARN)
      end
    end
    done(nil, result, options)
  end)
end

--- What a terminal runs: the conversation that the sidecar finds below its shell, or the text that it shows where its agent
--- has no fork of its own.
---@param where sidefork.Place
---@param argument table
---@return boolean go_on
---@return sidefork.Failure?
local function from_terminal(where, argument)
  local buf = assert(where.terminal)
  local located
  if where.pid and client.has('locate') then
    local failure
    failure, located = task.await(function(answered)
      operation.read('sidefork.locate', { pid = where.pid }, answered)
    end)
    if failure and failure.lost then
      return false, failure
    end
  end
  local session = located and located.session
  if where.pid and (session == nil or session.fork.kind ~= 'transcript') then
    argument.pid = where.pid
  end
  if session and session.fork.kind ~= 'transcript' or not client.has('transcripts') then
    return true
  end
  local text = terminal.text(buf)
  local agent = session and session.agent or terminal.program(buf)
  if not agent or text == '' then
    return true
  end
  local with = ('Fork what this terminal shows into a new %s'):format(agent)
  local without = 'Choose a conversation, or none'
  local chosen = task.select({ with, without }, { prompt = 'Fork Agent Session', kind = 'sidefork.transcript' })
  if chosen == with then
    argument.transcript = { agent = agent, text = words.text(text) }
  end
  return chosen ~= nil
end

--- Fork: ask for what is not said, do it, open the child.
---@param options? sidefork.ForkOptions
function M.fork(options)
  options = options or {}
  task.run(function()
    local where = place.ask(options.buf, options.path)
    if not where then
      return done(nil, nil, options)
    end
    local failure = task.await(client.ready)
    local lacks = client.lacks('fork', 'form', 'outcome')
    if failure or lacks then
      return done(failure or { reason = lacks, effect = 'nothing' }, nil, options)
    end
    local argument = vim.tbl_extend('force', {
      workspace = where.folder,
      operationId = operation.uuid(),
      launch = config.get().launch,
      session = options.session,
    }, options.argument or {})
    if where.terminal and not argument.session and not argument.name and not argument.transcript then
      local go_on
      go_on, failure = from_terminal(where, argument)
      if not go_on then
        return done(failure, nil, options)
      end
    end
    if not argument.name and not unsaved.ask(where.folder) then
      return done(nil, nil, options)
    end
    local answers
    answers, failure = dialog.run(argument)
    if not answers then
      return done(failure, nil, options)
    end
    run(argument, answers, options)
  end)
end

return M
