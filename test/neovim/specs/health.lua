local W = require('world')
local T = W.set()

local function health(child)
  child.cmd('checkhealth sidefork')
  return table.concat(child.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
end

T['the sidecar, its contract, git, each agent, the shell'] = function()
  local w = W.new()
  W.converse(w, W.younger, 'The younger', 10)
  local text = health(W.neovim(w))
  for _, part in ipairs({
    'version 0.0.0-test',
    'contract: 1',
    'git: 2.',
    'claude: 1 sessions',
    'codex: 0 sessions, agentNotInstalled',
    'shell: /bin/sh',
  }) do
    W.has(text, part)
  end
  W.eq(text:find('ERROR'), nil)
end

T['no sidecar, an older one, and options that make no sense'] = function()
  local w = W.new()
  W.has(health(W.neovim(w, { cmd = { 'no-such-sidefork' } })), 'ERROR no-such-sidefork is not installed')
  W.has(health(W.neovim(w, { cmd = { 'false' } })), 'The sidecar has ended with status 1 before it answered.')
  W.has(health(W.neovim(w, { cmd = W.sidecar(w, {}, { contract = 0 }) })), 'speaks contract 0; this plugin needs 1')
  local child = W.neovim(w, { open = 'window', lauch = 'x', ask = 'session' })
  local text = health(child)
  W.has(text, "open has to be 'tab', 'nvim', 'stay' or a function.")
  W.has(text, 'there is no option lauch.')
  W.has(text, 'ask has to be a list of names of fields.')
  W.answer(child, { ['Name of'] = false })
  child.cmd('Sidefork fork')
  W.wait(child, '#asked > 0')
  W.has(W.told(child), 'there is no option lauch.')
end

T['every command, option and event has its place in the help'] = function()
  local w = W.new()
  W.run({ 'cp', '-R', vim.env.TEST_PLUGIN .. '/doc', w.top .. '/doc' })
  local child = W.neovim(w)
  child.cmd('helptags ' .. w.top .. '/doc')
  local tags = assert(W.read(w.top .. '/doc/tags'))
  for _, name in ipairs(child.fn.getcompletion('Sidefork ', 'cmdline')) do
    W.has(tags, ':Sidefork-' .. name .. '\t')
    W.has(tags, '<Plug>(sidefork-' .. name .. ')\t')
  end
  for _, name in ipairs(child.lua_get("vim.tbl_keys(require('sidefork.config').checks)")) do
    W.has(tags, 'sidefork-option-' .. name .. '\t')
  end
  for _, name in ipairs(child.lua_get("vim.tbl_keys(require('sidefork'))")) do
    W.has(tags, 'sidefork.' .. name .. '()\t')
  end
  for _, name in ipairs({ 'Forked', 'Failed', 'Started', 'Progress', 'Removed', 'Changed', 'Cancelled' }) do
    W.has(tags, 'Sidefork' .. name .. '\t')
  end
end

return T
