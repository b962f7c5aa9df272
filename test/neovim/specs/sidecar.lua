-- nvim -l sidecar.lua SCRIPT.json : a sidecar that answers as it is told to, for what no real one does any more or yet.
-- SCRIPT: { contract, features, answers = { COMMAND = result | 'die' | { error = data } } }
local script = vim.json.decode(assert(io.open(arg[1])):read('*a'))

local function send(message)
  message.jsonrpc = '2.0'
  local body = vim.json.encode(message)
  io.stdout:write(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
  io.stdout:flush()
end

local function answer(message)
  local id = message.id
  if message.method == 'initialize' then
    local own =
      { contract = script.contract, features = script.features, agents = vim.empty_dict(), platform = 'linux' }
    return send({
      id = id,
      result = {
        serverInfo = { name = 'sidefork', version = '0.0.0-script' },
        capabilities = { executeCommandProvider = { commands = {} }, experimental = { sidefork = own } },
      },
    })
  elseif message.method == 'shutdown' then
    return send({ id = id, result = vim.NIL })
  elseif message.method == 'command/resolve' then
    local params = message.params
    return send({
      id = id,
      result = { command = params.command, arguments = params.arguments, formFields = script.fields },
    })
  elseif message.method == 'workspace/executeCommand' then
    local result = script.answers[message.params.command]
    if result == 'die' then
      os.exit(1)
    elseif type(result) == 'table' and result.error then
      return send({ id = id, error = { code = -32803, message = 'no', data = result.error } })
    end
    send({ id = id, result = result == nil and vim.NIL or result })
    for _, note in ipairs(script.notes and script.notes[message.params.command] or {}) do
      if note.params.operationId == 'same' then
        note.params.operationId = message.params.arguments[1].operationId
      end
      send(note)
    end
  end
end

while true do
  local length
  while true do
    local line = io.read('*l')
    if not line then
      os.exit(0)
    end
    line = line:gsub('\r$', '')
    if line == '' then
      break
    end
    length = tonumber(line:match('^Content%-Length: (%d+)$')) or length
  end
  local message = vim.json.decode(io.read(length))
  if message.method == 'exit' then
    os.exit(0)
  elseif message.id ~= nil then
    answer(message)
  end
end
