--- Commands while they run: what each is doing, and how it is cancelled. Whoever wants to draw it listens to the User
--- autocommand SideforkProgress, or reads M.running.
local client = require('sidefork.client')
local config = require('sidefork.config')
local words = require('sidefork.words')

local M = {}

---@class sidefork.Operation
---@field token string
---@field command string
---@field title string
---@field message? string the stage
---@field percentage? integer
---@field cancelling? boolean

---@type table<string, sidefork.Operation>
M.running = {}

--- Tell those who listen to a User autocommand.
---@param name string
---@param data table
function M.event(name, data)
  vim.api.nvim_exec_autocmds('User', { pattern = name, modeline = false, data = data })
end

--- A random UUID (RFC 9562, version 4): who asks chooses the id, so that the outcome can be asked for by it.
---@return string
function M.uuid()
  local b = { assert(vim.uv.random(16)):byte(1, 16) }
  b[7] = b[7] % 16 + 64
  b[9] = b[9] % 64 + 128
  local x = '%02x'
  local form = table.concat({ x:rep(4), x:rep(2), x:rep(2), x:rep(2), x:rep(6) }, '-')
  return form:format(unpack(b))
end

---@param operation sidefork.Operation
---@return string
local function in_words(operation)
  local parts = { operation.title }
  if operation.cancelling then
    parts[#parts + 1] = 'Cancelling'
  elseif operation.message and operation.message ~= '' then
    parts[#parts + 1] = operation.message
  end
  return words.line(table.concat(parts, ': '))
end

--- What is being done, for a status line: '' where nothing is. It holds nothing that a status line would interpret.
---@return string
function M.statusline()
  local parts = {}
  for _, operation in pairs(M.running) do
    local text = words.inert(in_words(operation))
    parts[#parts + 1] = operation.percentage and ('%s (%d/100)'):format(text, operation.percentage) or text
  end
  table.sort(parts)
  return table.concat(parts, ', ')
end

local mapped ---@type string? the key that cancels, while it does

local function update_key()
  local key = config.get().cancel_key
  if next(M.running) and not mapped and key and vim.fn.mapcheck(key, 'n') == '' then
    mapped = key
    vim.keymap.set('n', key, M.cancel, { desc = 'sidefork: cancel what runs' })
  elseif not next(M.running) and mapped then
    pcall(vim.keymap.del, 'n', mapped)
    mapped = nil
  end
end

---@param operation sidefork.Operation
local function draw(operation)
  if config.get().echo then
    local text = in_words(operation)
    if operation.percentage then
      text = ('%s (%d%%)'):format(text, operation.percentage)
    end
    vim.api.nvim_echo({ { words.short(text, math.max(vim.o.columns - 12, 20)) } }, false, {})
  end
  vim.cmd.redrawstatus({ bang = true })
  M.event('SideforkProgress', vim.deepcopy(operation))
end

client.on('sidefork/changed', function(params)
  if params.what ~= 'form' then
    M.event('SideforkChanged', params)
  end
end)

client.on('$/progress', function(params)
  local operation = M.running[params.token]
  local value = params.value
  if not operation or type(value) ~= 'table' or value.kind == 'end' then
    return
  end
  if type(value.message) == 'string' then
    operation.message = value.message
  end
  operation.percentage = tonumber(value.percentage) or operation.percentage
  draw(operation)
end)

--- Run a command of the sidecar. The answer always comes, once.
---@param command string such as 'sidefork.fork'
---@param argument table
---@param options { title: string, answers?: table[], reads?: boolean }
---@param answered fun(failure: sidefork.Failure?, result: any)
---@return sidefork.Operation
function M.execute(command, argument, options, answered)
  local operation = { token = 'sidefork-' .. M.uuid(), command = command, title = options.title }
  M.running[operation.token] = operation
  update_key()
  local params = { command = command, arguments = { argument }, workDoneToken = operation.token }
  if options.answers then
    params.formAnswers = options.answers
  end
  local function ended(failure, result)
    M.running[operation.token] = nil
    update_key()
    vim.cmd.redrawstatus({ bang = true })
    answered(options.reads and M.only_read(failure) or failure, result)
  end
  client.ready(function(failure)
    if failure then
      ended(failure)
    elseif operation.cancelling then -- while the sidecar started
      ended(nil, { status = 'cancelled' })
    else
      client.ask('workspace/executeCommand', params, ended)
    end
  end)
  return operation
end

--- What only reads has written nothing, also where its sidecar was lost.
---@param failure sidefork.Failure?
---@return sidefork.Failure?
function M.only_read(failure)
  if failure and failure.lost then
    failure = vim.tbl_extend('force', failure, { effect = 'nothing' })
  end
  return failure
end

--- Ask a command that only reads, which is not drawn.
---@param command string
---@param argument table
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.read(command, argument, answered)
  M.ask(command, argument, function(failure, result)
    answered(M.only_read(failure), result)
  end)
end

--- Ask a command whatever it does, which is not drawn.
---@param command string
---@param argument table
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.ask(command, argument, answered)
  client.ask('workspace/executeCommand', { command = command, arguments = { argument } }, answered)
end

--- Cancel all that runs. What it has begun is taken back, and then it is answered.
---@return integer how many are being cancelled
function M.cancel()
  local n = 0
  for token, operation in pairs(M.running) do
    n = n + 1
    operation.cancelling = true
    client.tell('window/workDoneProgress/cancel', { token = token })
    draw(operation)
  end
  if n == 0 then
    vim.notify('sidefork: nothing runs that could be cancelled.')
  end
  return n
end

return M
