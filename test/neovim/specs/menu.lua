local W = require('world')
local T = W.set()

--- The entry as a right click shows it.
local function entry(child, mode)
  child.lua("require('sidefork.menu').wait = 20000")
  child.cmd('doautocmd MenuPopup ' .. (mode or 'n'))
  local text = child.lua_get("require('sidefork.menu').drawn()")
  if text == vim.NIL then
    return nil
  end
  return child.lua(
    [[local text, mode = ...
      local path = vim.iter(vim.fn.menu_info('PopUp', mode).submenus):find(function(s) return vim.startswith(s, 'Fork') end)
      local info = vim.fn.menu_info('PopUp.' .. path:gsub('[ .]', '\\%0'), mode)
      return { text = path, enabled = info.enabled, rhs = info.rhs, drawn = text }]],
    { text, mode or 'n' }
  )
end

T['in a repository it can be chosen, in a buffer and in a terminal'] = function()
  local w = W.new()
  local child = W.neovim(w)
  for _, mode in ipairs({ 'n', 'v', 'tl' }) do
    local e = entry(child, mode)
    W.eq({ e.text, e.enabled }, { 'Fork Agent Session…', true })
    W.has(e.rhs, '<Cmd>Sidefork fork<CR>')
  end
  child.lua('vim.cmd.terminal("cat")')
  W.eq(entry(child, 'tl').enabled, true)
end

T['where no fork can be made it has the reason and cannot be chosen'] = function()
  local w = W.new()
  W.run({ 'git', 'checkout', '-q', '--detach' }, w.repo)
  local child = W.neovim(w)
  local e = entry(child)
  W.has(e.text, 'Fork Agent Session (')
  W.eq(e.enabled, false)
  W.run({ 'git', 'checkout', '-q', 'main' }, w.repo)
  W.eq(entry(child).enabled, true)
  child.fn.chdir(w.top)
  e = entry(child)
  W.has(e.text, 'is not inside a git repository')
  W.eq(e.enabled, false)
end

T['an older contract, and one that lacks what is needed'] = function()
  for _, more in ipairs({ { contract = 0 }, { features = { 'fork', 'form' } } }) do
    local w = W.new()
    local child = W.neovim(w, { cmd = W.sidecar(w, {}, more) })
    local e = entry(child)
    W.has(e.text, more.contract and 'speaks contract 0; this plugin needs 1' or 'has no "outcome"')
    W.eq(e.enabled, false)
    W.fork(child)
    W.eq(child.lua_get('ended'), 'SideforkFailed')
    W.has(W.told(child), 'Install a newer sidefork.')
    child.cmd('Sidefork sessions')
    W.wait(child, '#told > 1')
    W.eq(child.lua_get('#asked'), 0)
    child.stop()
  end
end

T['no sidecar at all'] = function()
  local child = W.neovim(W.new(), { cmd = { 'no-such-sidefork', 'serve' } })
  local e = entry(child)
  W.has(e.text, 'no-such-sidefork is not installed')
  W.eq(e.enabled, false)
  W.fork(child)
  W.has(W.told(child), 'no-such-sidefork is not installed, or not on PATH.')
end

T['a reason is words in a menu, whatever it says'] = function()
  local w = W.new()
  local reason = 'a|b <CR> %s &x \\y . \27[2J "z"\n<C-\\><C-N>:let g:hostile=1<CR>'
  local child = W.neovim(w, {
    cmd = W.sidecar(w, {
      ['sidefork.workspaces'] = { error = { effect = 'nothing', reason = { code = 'detached', message = reason } } },
    }),
  })
  local e = entry(child)
  W.eq(e.enabled, false)
  W.has(e.text, 'a¦b ‹CR›')
  W.eq(e.text:find('\27', 1, true), nil)
  W.eq(entry(child).text, e.text) -- the one before is gone
  W.eq(
    child.lua_get(
      'vim.iter(vim.fn.menu_info("PopUp", "n").submenus):filter(function(s) return vim.startswith(s, "Fork") end):totable()'
    ),
    { e.text }
  )
  W.eq(child.g.hostile, vim.NIL)
end

T['it is not there where the user wants none, or where there is nothing to offer'] = function()
  local w = W.new()
  W.eq(entry(W.neovim(w, { menu = false })), nil)
  local hidden =
    { path = w.repo, name = 'app', branch = '', depth = 0, agentsLive = 0, fork = { allowed = false, hidden = true } }
  local result = { repositories = { { root = w.repo, workspaces = { hidden } } } }
  W.eq(entry(W.neovim(w, { cmd = W.sidecar(w, { ['sidefork.workspaces'] = result }) })), nil)
end

return T
