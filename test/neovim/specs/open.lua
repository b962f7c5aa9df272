local W = require('world')
local T = W.set()

T['stay: the agent runs in a buffer that nothing shows'] = function()
  local w = W.new()
  W.converse(w, W.younger, 'The younger', 10)
  local child = W.neovim(w, { open = 'stay' })
  W.fork(child)
  W.wait(child, "vim.uv.fs_stat(vim.env.HOME .. '/started')")
  W.eq(child.fn.tabpagenr('$'), 1)
  W.eq(child.fn.getcwd(), w.repo)
  W.eq(child.bo.buftype, '')
  W.has(W.told(child), 'app-fork runs in buffer ')
end

T['a function of the user is given the child, and what runs its agent'] = function()
  local w = W.new()
  W.converse(w, W.younger, 'The younger', 10)
  local child = W.neovim(w)
  child.lua('require("sidefork").setup({ open = function(c) given = c end })')
  W.fork(child)
  W.eq(child.lua_get('given.path'), w.top .. '/app-worktrees/app-fork')
  W.eq(child.lua_get('given.branch'), 'app-fork')
  W.eq(child.lua_get('given.argv[2]'), '--resume')
  W.eq(child.lua_get('given.options.cwd'), w.top .. '/app-worktrees/app-fork')
  W.eq(child.fn.tabpagenr('$'), 1)
end

T['another Neovim in a new window gets the child by a file that only the user can read, once'] = function()
  local w = W.new()
  W.converse(w, W.younger, 'The younger', 10)
  local child = W.neovim(w)
  child.lua(
    [[require("sidefork").setup({ open = 'nvim', terminal = function(argv, cwd) window = { argv = argv, cwd = cwd } end })]]
  )
  W.fork(child)
  local window = child.lua_get('window')
  W.eq(window.cwd, w.top .. '/app-worktrees/app-fork')
  W.eq(window.argv[2], '-c')
  local id = window.argv[3]:match("handed%('([%x-]+)'%)")
  local file = ('%s/.local/state/nvim/sidefork/%s.json'):format(w.home, id)
  W.eq(assert(vim.uv.fs_stat(file)).mode % 512, tonumber('600', 8))
  local other = W.neovim(w)
  other.cmd(window.argv[3])
  W.eq(other.fn.getcwd(), window.cwd)
  W.eq(other.bo.buftype, 'terminal')
  W.wait(other, "vim.uv.fs_stat(vim.env.HOME .. '/started')")
  W.has(W.read(w.home .. '/started'), window.cwd .. '\nCLAUDECODE=unset\n')
  W.eq(vim.uv.fs_stat(file), nil)
  other.cmd(window.argv[3])
  W.has(W.told(other), 'it was opened already')
end

T['a window that cannot be opened is a tab'] = function()
  local w = W.new()
  local child = W.neovim(w, { open = 'nvim', terminal = { 'false' } })
  W.fork(child)
  W.wait(child, "vim.fn.tabpagenr('$') == 2")
  W.has(W.told(child), 'false failed: ')
  W.eq(child.fn.getcwd(), w.top .. '/app-worktrees/app-fork')
end

T["a folder of any name is the tab's, and nothing else is left open"] = function()
  local w = W.new()
  local odd = w.top .. '/a %|#b $HOME\nc'
  vim.fn.mkdir(odd, 'p')
  local workspace = { path = odd, branch = 'try', name = 'app', depth = 0, agentsLive = 0, fork = { allowed = true } }
  local launch = { argv = { 'cat' }, cwd = odd }
  local result = { status = 'completed', workspace = workspace, launch = launch, warnings = {} }
  local child = W.neovim(w, { cmd = W.sidecar(w, { ['sidefork.fork'] = result }) })
  child.lua(
    "fin = nil; require('sidefork').fork({ argument = { name = 'try' }, done = function(failure, result) fin = failure or result end })"
  )
  W.wait(child, 'fin')
  W.eq(child.fn.getcwd(), odd)
  W.eq(child.fn.getcwd(-1, 1), w.repo)
  W.eq(child.bo.buftype, 'terminal')
  W.eq(#child.fn.getbufinfo({ buflisted = 1 }), 2)
end

T['an agent that is not there leaves the fork, and is named'] = function()
  local w = W.new()
  local workspace =
    { path = w.repo, branch = 'try', name = 'app', depth = 0, agentsLive = 0, fork = { allowed = true } }
  local launch = { argv = { w.top .. '/no/such/agent' }, cwd = w.repo, env = { A = 'b' } }
  local result = { status = 'completed', workspace = workspace, launch = launch, warnings = {} }
  local child = W.neovim(w, { cmd = W.sidecar(w, { ['sidefork.fork'] = result }) })
  child.lua(
    "fin = nil; require('sidefork').fork({ argument = { name = 'try' }, done = function(failure, result) fin = failure or result end })"
  )
  W.wait(child, 'fin')
  W.has(W.told(child), 'The fork stands in ' .. w.repo)
  W.has(W.told(child), 'no/such/agent could not be started')
end

T["the repository's terminals open, each with its line in the user's shell"] = function()
  local w = W.new()
  local workspace =
    { path = w.repo, branch = 'try', name = 'app', depth = 0, agentsLive = 0, fork = { allowed = true } }
  local result = {
    status = 'completed',
    workspace = workspace,
    warnings = { { code = 'agentAsks', message = 'It will ask.', remedy = 'Answer it.' } },
    terminals = { { title = 'server', cwd = w.repo, commandLine = 'pwd >"$HOME/line"; echo "a|b" >>"$HOME/line"' } },
  }
  local child = W.neovim(w, { cmd = W.sidecar(w, { ['sidefork.fork'] = result }) })
  child.lua(
    "fin = nil; require('sidefork').fork({ argument = { name = 'try' }, done = function(failure, result) fin = failure or result end })"
  )
  W.wait(child, "fin and file('line'):find('|')")
  W.eq(W.read(w.home .. '/line'), w.repo .. '\na|b\n')
  W.has(W.told(child), 'It will ask. Answer it.')
end

T['in tmux: the buffer shows the session of that name, and no other word is taken for one'] = function()
  local w = W.new()
  W.write(w.top .. '/bin/sidefork-here', '#!/bin/sh\nfor word; do echo "$word"; done >"$HOME/attached"\n', '755')
  local child = W.neovim(w, { cmd = { 'sidefork-here', 'serve', '--stdio' }, launch = 'tmux' })
  local argv = child.lua_get("require('sidefork.terminal').command({ tmux = 'app/fork-2' })")
  W.eq(argv, { 'sidefork-here', 'attach', 'app/fork-2' })
  for _, name in ipairs({ '-x', 'a b', '$(id)', 'a\nb', '' }) do
    W.eq(child.lua("return require('sidefork.terminal').command({ tmux = ... }) == nil", { name }), true)
  end
end

return T
