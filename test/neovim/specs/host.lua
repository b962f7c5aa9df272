local W = require('world')
local T = W.set()

-- An ssh that goes to this machine: it keeps its words and does what sshd would with those after the host.
local ssh = [[#!/bin/sh
for word; do printf '%s\n' "$word"; done >>"$HOME/ssh"
echo -- >>"$HOME/ssh"
while [ "${1#-}" != "$1" ]; do
	[ "$1" = -p ] && shift
	shift
done
shift
exec sh -c "$*"
]]

T['a fork by ssh: the sidecar there, the agent by ssh -t, quoted by the sidecar'] = function()
  local w = W.new()
  W.converse(w, W.younger, 'The younger', 10)
  W.write(w.top .. '/bin/ssh', ssh, '755')
  local child = W.neovim(w, { cmd = { 'ssh', '-p', '22', 'box', vim.env.TEST_SIDEFORK, 'serve' }, workspace = w.repo })
  W.fork(child)
  W.eq(child.lua_get('ended'), 'SideforkForked')
  W.wait(child, "vim.uv.fs_stat(vim.env.HOME .. '/started')")
  local path = w.top .. '/app-worktrees/app-fork'
  W.wait(child, "vim.fn.join(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('the stub of claude')")
  W.has(W.read(w.home .. '/started'), path .. '\nCLAUDECODE=unset\n')
  local words = assert(W.read(w.home .. '/ssh'))
  W.has(words, '-p\n22\nbox\n' .. vim.env.TEST_SIDEFORK .. '\nserve\n--\n')
  W.has(words, '-t\n-p\n22\nbox\ncd ' .. path .. ' && env -u ')
  W.eq(child.fn.getcwd(), w.repo) -- the folder of the child is not here
end

T['the folder there is asked for where nothing says it, and told by the name of a file from there'] = function()
  local w = W.new()
  W.write(w.top .. '/bin/ssh', ssh, '755')
  local child = W.neovim(w, { cmd = { 'ssh', 'box', vim.env.TEST_SIDEFORK, 'serve' }, open = 'stay' })
  W.answer(child, { ['Folder on box'] = w.repo, ['Name of'] = 'one' })
  W.fork(child)
  W.eq(child.lua_get('asked[1].prompt'), 'Folder on box: ')
  W.eq(#W.worktrees(w), 1)
  child.lua("vim.api.nvim_buf_set_name(0, 'scp://box/' .. ... .. '/a')", { w.repo })
  child.lua('asked = {}')
  W.answer(child, { ['Name of'] = 'two' })
  W.fork(child)
  W.has(child.lua_get('asked[1].prompt'), 'Name of')
  W.eq(#W.worktrees(w), 2)
end

T['which machine a command goes to'] = function()
  local child = W.neovim(W.new())
  for line, want in pairs({
    ['ssh box sidefork serve'] = { 'box', 'ssh box', 'sidefork' },
    ['/usr/bin/ssh -o BatchMode=yes -A -p22 me@box -- x'] = {
      'me@box',
      '/usr/bin/ssh -o BatchMode=yes -A -p22 me@box',
      '-- x',
    },
    ['ssh -vp 22 -- box /opt/sidefork serve --stdio'] = { 'box', 'ssh -vp 22 -- box', '/opt/sidefork' },
    ['sidefork serve'] = {},
    ['ssh -p 22'] = {},
  }) do
    local got = child.lua(
      [[local h = require('sidefork.host').of(vim.split(..., ' '))
        return h and { h.name, table.concat(h.ssh, ' '), table.concat(h.program, ' ') } or {}]],
      { line }
    )
    W.eq(got, want)
  end
  local argv = child.lua([[return require('sidefork.host').plain({ ssh = { 'ssh', 'box' } }, { 'a b', "it's", '$x' })]])
  W.eq(argv, { 'ssh', 'box', [['a b' 'it'\''s' '$x']] })
end

T['tmux there'] = function()
  local child = W.neovim(W.new(), { cmd = { 'ssh', 'box', '/opt/side fork', 'serve' } })
  local argv = child.lua_get("require('sidefork.terminal').command({ tmux = 'try' })")
  W.eq(argv, { 'ssh', '-t', 'box', "'/opt/side fork' 'attach' 'try'" })
end

return T
