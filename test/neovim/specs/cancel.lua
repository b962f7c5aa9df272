local W = require('world')
local T = W.set()

--- A fork that stands in its setup, until it is cancelled.
local function standing()
  local w = W.new('setup')
  W.run({ 'mkfifo', w.top .. '/gate' })
  local child = W.neovim(w)
  W.answer(child, {
    ['sidefork.summary'] = { 'Run the setup', 'Fork' },
    ['sidefork.setup'] = 'Run it',
    ['Name of'] = 'try',
  })
  child.lua("fin = nil; require('sidefork').fork({ done = function(failure, result) fin = failure or result end })")
  W.wait(child, "vim.uv.fs_stat(vim.env.GATE .. '.entered')")
  return w, child
end

local function nothing_left(w, child)
  W.wait(child, 'fin')
  W.eq(child.lua_get('fin.status'), 'cancelled')
  W.eq(child.lua_get('ended'), 'SideforkCancelled')
  W.has(W.told(child), 'Cancelled. What was begun has been taken back completely.')
  W.eq(W.worktrees(w), {})
  W.eq(W.run({ 'git', 'branch', '--list', 'try' }, w.repo), '')
  W.eq(child.fn.tabpagenr('$'), 1)
  W.eq(child.lua_get("require('sidefork').statusline()"), '')
end

T[':Sidefork cancel'] = function()
  local w, child = standing()
  W.has(child.lua_get("require('sidefork').statusline()"), 'Fork: Running setup (')
  child.cmd('Sidefork cancel')
  nothing_left(w, child)
end

T['CTRL-C in normal mode, which is free again afterwards'] = function()
  local w, child = standing()
  child.type_keys('<C-c>')
  nothing_left(w, child)
  W.eq(child.fn.maparg('<C-c>', 'n'), '')
end

T['a CTRL-C of the user stays theirs'] = function()
  local w = W.new('setup')
  W.run({ 'mkfifo', w.top .. '/gate' })
  local child = W.neovim(w)
  child.cmd('nnoremap <C-c> <Cmd>let g:mine = 1<CR>')
  W.answer(child, { ['sidefork.summary'] = { 'Run the setup', 'Fork' }, ['sidefork.setup'] = 'Run it' })
  child.lua("fin = nil; require('sidefork').fork({ done = function(failure, result) fin = failure or result end })")
  W.wait(child, "vim.uv.fs_stat(vim.env.GATE .. '.entered')")
  child.type_keys('<C-c>')
  W.eq(child.g.mine, 1)
  child.lua("require('sidefork').cancel()")
  W.wait(child, 'fin')
  W.has(child.fn.maparg('<C-c>', 'n'), 'mine')
end

T['what is cancelled while the sidecar starts never begins'] = function()
  local w = W.new()
  W.run({ 'mkfifo', w.top .. '/gate' })
  W.write(w.top .. '/bin/late', '#!/bin/sh\nread open <"$GATE"\nexec "$@"\n', '755')
  local child = W.neovim(w, { cmd = { 'late', vim.env.TEST_SIDEFORK, 'serve' } })
  child.lua(
    [[
    fin = nil
    require('sidefork.operation').execute('sidefork.fork', { workspace = ..., name = 'try' }, { title = 'Fork' }, function(failure, result)
      fin = failure or result
    end)
    require('sidefork').cancel()]],
    { w.repo }
  )
  W.run({ 'sh', '-c', 'echo open >"$0"', w.top .. '/gate' })
  W.wait(child, 'fin')
  W.eq(child.lua_get('fin'), { status = 'cancelled' })
  W.eq(W.worktrees(w), {})
end

T['nothing runs'] = function()
  local child = W.neovim(W.new())
  child.cmd('Sidefork cancel')
  W.has(W.told(child), 'nothing runs')
end

return T
