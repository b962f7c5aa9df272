--- The sidecar, by Neovim's own LSP client: started when it is first asked something, without a buffer or a file type.
--- What it says while nothing was asked goes to those who listen.
local config = require('sidefork.config')

local M = {}

--- The contract that this plugin speaks (docs/contract.md).
M.contract = 1

---@class sidefork.Reason
---@field code string
---@field message string
---@field remedy? string

---@class sidefork.Failure the `data` of an error, or the like of the plugin's own
---@field reason sidefork.Reason
---@field reasons? sidefork.Reason[]
---@field effect 'nothing'|'rolledBack'|'kept'|'unknown'
---@field detail? string
---@field lost? boolean the sidecar ended before it answered

---@class sidefork.Sidecar
---@field id integer of the LSP client
---@field ready boolean it has answered `initialize`
---@field stopping? boolean it was told to end
---@field version string
---@field contract? integer
---@field features table<string, true>
---@field platform? string
---@field pending table<table, fun(failure: sidefork.Failure?, result: any)>
---@field waiting fun(failure: sidefork.Failure?)[]

---@type sidefork.Sidecar?
local sidecar

---@type table<string, fun(params: any)[]>
local listeners = {}

--- Be told of a notification of the sidecar.
---@param method string
---@param listener fun(params: table)
function M.on(method, listener)
  listeners[method] = listeners[method] or {}
  table.insert(listeners[method], listener)
end

---@param method string
---@param params any
local function tell(method, params)
  for _, listener in ipairs(listeners[method] or {}) do
    listener(params)
  end
end

--- A failure of the plugin's own: nothing has reached the sidecar.
---@param code string
---@param message string
---@param remedy? string
---@return sidefork.Failure
function M.failure(code, message, remedy)
  return { reason = { code = code, message = message, remedy = remedy }, effect = 'nothing' }
end

--- Without JSON's null, which Neovim 0.10 leaves out of objects and 0.12 does not.
---@param value any
---@return any
local function without_null(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == 'table' then
    for key, one in pairs(value) do
      value[key] = without_null(one)
    end
  end
  return value
end

---@param err table? an error of the LSP client
---@return sidefork.Failure?
local function failure_of(err)
  if not err then
    return nil
  end
  local data = without_null(err.data)
  if type(data) == 'table' and type(data.reason) == 'table' then
    return data
  end
  return {
    reason = { code = 'internal', message = tostring(err.message or 'The sidecar answered with an error of no kind.') },
    effect = 'unknown',
  }
end

---@param cmd string[]
---@return string
local function program(cmd)
  return table.concat(cmd, ' ')
end

---@param s sidefork.Sidecar
---@param code integer
---@param signal integer
local function ended(s, code, signal)
  if sidecar == s then
    sidecar = nil
  end
  local how = signal ~= 0 and ('by signal %d'):format(signal) or ('with status %d'):format(code)
  local lost = {
    reason = {
      code = 'sidecarLost',
      message = ('The sidecar has ended %s before it answered.'):format(how),
      remedy = 'See :Sidefork log, and :checkhealth sidefork.',
    },
    effect = 'unknown',
    lost = true,
  }
  local waiting, pending = s.waiting, s.pending
  s.waiting, s.pending = {}, {}
  for _, go_on in ipairs(waiting) do
    go_on(vim.tbl_extend('force', lost, { effect = 'nothing' }))
  end
  for _, answered in pairs(pending) do
    answered(lost)
  end
  tell('exit', { code = code, signal = signal, wanted = s.stopping or false })
end

---@param s sidefork.Sidecar
---@param client vim.lsp.Client
---@param answer table? the answer to `initialize`, which 0.10 gives to on_init and later versions keep
local function initialized(s, client, answer)
  local experimental = client.server_capabilities.experimental
  local own = type(experimental) == 'table' and without_null(experimental.sidefork) or {}
  local info = client.server_info or (answer or {}).serverInfo or {}
  s.version, s.contract, s.platform = tostring(info.version or 'unknown'), tonumber(own.contract), own.platform
  for _, name in ipairs(own.features or {}) do
    s.features[name] = true
  end
  s.ready = true
  local waiting = s.waiting
  s.waiting = {}
  for _, go_on in ipairs(waiting) do
    go_on()
  end
end

---@return sidefork.Sidecar?
---@return sidefork.Failure?
local function start()
  local options = config.get()
  if vim.fn.executable(options.cmd[1]) ~= 1 then
    return nil,
      M.failure(
        'sidecarMissing',
        ('%s is not installed, or not on PATH.'):format(options.cmd[1]),
        'Install sidefork, or say where it is: vim.g.sidefork = { cmd = { PATH, "serve" } }.'
      )
  end
  ---@type sidefork.Sidecar
  local s = { id = 0, ready = false, version = '', features = {}, pending = {}, waiting = {} }
  local handlers = {
    -- What core does with it is needed too: LspProgress and vim.lsp.status() come from there.
    ['$/progress'] = function(err, params, context, handler_config)
      local answer = vim.lsp.handlers['$/progress'](err, params, context, handler_config)
      tell('$/progress', params)
      return answer
    end,
  }
  for _, method in ipairs({ 'sidefork/changed', 'sidefork/started', 'sidefork/stage', 'window/logMessage' }) do
    handlers[method] = function(_, params)
      tell(method, without_null(params))
    end
  end
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.window = vim.tbl_extend('force', capabilities.window or {}, { workDoneProgress = true })
  capabilities.experimental = {
    interactiveResolve = { inputTypes = { 'bool', 'enum', 'lazyEnum', 'list', 'number', 'string' } },
  }
  local client_config = {
    name = 'sidefork',
    cmd = options.cmd,
    capabilities = capabilities,
    handlers = handlers,
    init_options = next(options.settings) and options.settings or nil,
    on_init = function(client, answer)
      initialized(s, client, answer)
    end,
    on_exit = function(code, signal)
      vim.schedule(function()
        ended(s, code, signal)
      end)
    end,
  }
  local id
  if vim.fn.has('nvim-0.11') == 1 then
    id = vim.lsp.start(client_config, {
      attach = false,
      reuse_client = function()
        return false
      end,
    })
  else
    id = vim.lsp.start_client(client_config)
  end
  if not id then
    return nil,
      M.failure(
        'sidecarMissing',
        program(options.cmd) .. ' could not be started.',
        'Run :checkhealth sidefork to see why.'
      )
  end
  s.id = id
  return s
end

--- Go on when the sidecar is there: it is started where it does not run.
---@param go_on fun(failure: sidefork.Failure?)
function M.ready(go_on)
  if not sidecar then
    local failure
    sidecar, failure = start()
    if not sidecar then
      return go_on(failure)
    end
  end
  if sidecar.ready then
    return go_on()
  end
  table.insert(sidecar.waiting, go_on)
end

---@return vim.lsp.Client?
local function client()
  return sidecar and vim.lsp.get_client_by_id(sidecar.id)
end

---@param method string
---@param ... any
local function call(method, ...)
  local c = assert(client())
  if vim.fn.has('nvim-0.11') == 1 then
    return c[method](c, ...)
  end
  return c[method](...)
end

--- Why something cannot be asked for: the sidecar speaks an older contract, or lacks it. nil where it can, or where no
--- sidecar has told yet.
---@param ... string names of features
---@return sidefork.Reason?
function M.lacks(...)
  if not sidecar or not sidecar.ready then
    return nil
  end
  if not sidecar.contract or sidecar.contract < M.contract then
    return {
      code = 'contractTooOld',
      message = ('The sidecar (%s) speaks contract %s; this plugin needs %d.'):format(
        sidecar.version,
        sidecar.contract or 'of no number',
        M.contract
      ),
      remedy = 'Install a newer sidefork.',
    }
  end
  for _, feature in ipairs({ ... }) do
    if not sidecar.features[feature] then
      return {
        code = 'featureMissing',
        message = ('The sidecar (%s) has no "%s".'):format(sidecar.version, feature),
        remedy = 'Install a newer sidefork.',
      }
    end
  end
end

--- Whether the sidecar names a feature, once it is there.
---@param feature string
---@return boolean
function M.has(feature)
  return sidecar ~= nil and sidecar.features[feature] == true
end

--- What is known of the sidecar that runs.
---@return { version: string, contract?: integer, features: string[], platform?: string }?
function M.known()
  if sidecar and sidecar.ready then
    local features = vim.tbl_keys(sidecar.features)
    table.sort(features)
    return {
      version = sidecar.version,
      contract = sidecar.contract,
      features = features,
      platform = sidecar.platform,
    }
  end
end

--- Ask the sidecar. The answer always comes: where the sidecar ends first, it is a failure that says so.
---@param method string
---@param params table
---@param answered fun(failure: sidefork.Failure?, result: any)
function M.ask(method, params, answered)
  M.ready(function(failure)
    if failure then
      return answered(failure)
    end
    local s, key = assert(sidecar), {}
    s.pending[key] = answered
    local sent = call('request', method, params, function(err, result)
      if s.pending[key] then
        s.pending[key] = nil
        answered(failure_of(err), without_null(result))
      end
    end)
    if not sent and s.pending[key] then
      s.pending[key] = nil
      answered(M.failure('sidecarLost', 'The sidecar is ending.', 'Try again.'))
    end
  end)
end

--- Tell the sidecar something, if it runs.
---@param method string
---@param params table
function M.tell(method, params)
  if sidecar and sidecar.ready and client() then
    call('notify', method, params)
  end
end

--- End the sidecar; the next question starts another one.
function M.stop()
  local c = client()
  if sidecar and c then
    sidecar.stopping = true
    call('stop')
  end
end

return M
