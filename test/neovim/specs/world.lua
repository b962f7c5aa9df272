--- What one spec touches: a home, a repository with uncommitted changes, stubs of agents, and a Neovim with the plugin that
--- a person sits before: vim.ui is answered by rules, and what was asked and told is kept.
local W = {}

local top_of_all = assert(vim.env.TEST_TOP)
local count = 0

W.eq = MiniTest.expect.equality

---@param value any
---@param what string
function W.ok(value, what)
  if not value then
    error(what, 2)
  end
end

---@param text any
---@param part string plain
function W.has(text, part)
  if type(text) ~= 'string' then
    text = vim.inspect(text)
  end
  if not text:find(part, 1, true) then
    error(('There is no %s in:\n%s'):format(vim.inspect(part), text), 2)
  end
end

---@param path string
---@param text string
---@param mode? string octal
function W.write(path, text, mode)
  vim.fn.mkdir(vim.fs.dirname(path), 'p')
  local file = assert(io.open(path, 'w'))
  file:write(text)
  file:close()
  if mode then
    assert(vim.uv.fs_chmod(path, tonumber(mode, 8)))
  end
end

---@param path string
---@return string?
function W.read(path)
  local file = io.open(path)
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  return text
end

---@param argv string[]
---@param cwd? string
---@return string
function W.run(argv, cwd)
  local done = vim.system(argv, { cwd = cwd, text = true }):wait()
  if done.code ~= 0 then
    error(('%s: %s'):format(table.concat(argv, ' '), done.stderr), 2)
  end
  return (done.stdout:gsub('\n$', ''))
end

local made = {} ---@type table<string, string> by kind, the repository that others are copies of

---@param kind string
---@return string
local function template(kind)
  if made[kind] then
    return made[kind]
  end
  local path = top_of_all .. '/templates/' .. kind
  W.write(path .. '/a', 'a\n')
  W.write(path .. '/.gitignore', '*.log\n')
  if kind == 'setup' then
    -- It stays where it is until its gate is opened, so that what happens meanwhile does not depend on how fast a machine is.
    W.write(path .. '/.sidefork.json', '{"setup": ["echo here >\\"$GATE.entered\\"; read open <\\"$GATE\\""]}')
  end
  W.run({ 'git', 'init', '-q', '-b', 'main' }, path)
  W.run({ 'git', 'add', '.' }, path)
  W.run({ 'git', 'commit', '-q', '-m', 'one' }, path)
  W.run({ 'git', 'branch', 'older' }, path)
  W.write(path .. '/b', 'one\ntwo\nthree\n')
  W.run({ 'git', 'add', '.' }, path)
  W.run({ 'git', 'commit', '-q', '-m', 'two' }, path)
  made[kind] = path
  return path
end

local claude = [[#!/bin/sh
if [ "$1" = --version ]; then
	echo '2.1.332 (Claude Code)'
	exit
fi
{
	pwd
	echo "CLAUDECODE=${CLAUDECODE-unset}"
	for word; do echo "$word"; done
} >"$HOME/starting"
mv "$HOME/starting" "$HOME/started"
printf 'the stub of claude\r\n'
exec cat
]]

---@class World
---@field top string
---@field home string
---@field repo string

--- A world with a repository of a kind, which has a changed and a new file.
---@param kind? string
---@return World
function W.new(kind)
  count = count + 1
  local w = { top = ('%s/%d'):format(top_of_all, count) }
  w.home, w.repo = w.top .. '/home', w.top .. '/app'
  vim.fn.mkdir(w.top, 'p')
  W.run({ 'cp', '-R', template(kind or 'plain'), w.repo })
  W.write(w.repo .. '/b', 'one\nTWO\nthree\n')
  W.write(w.repo .. '/new', 'new\n')
  W.write(w.top .. '/bin/claude', claude, '755')
  return w
end

--- A conversation of Claude Code in the repository.
---@param w World
---@param id string
---@param title string
---@param hour integer of a day: the last activity
function W.converse(w, id, title, hour)
  local text = assert(W.read(vim.env.TEST_TRANSCRIPT))
  text = text
    :gsub('"/home/dev/src/main"', function()
      return vim.json.encode(w.repo):gsub('\\/', '/')
    end)
    :gsub('9c322651%-a113%-47aa%-817a%-43cef594a8f5', id)
  text = text .. vim.json.encode({ type = 'custom-title', customTitle = title, sessionId = id }) .. '\n'
  local path = ('%s/.claude/projects/%s/%s.jsonl'):format(w.home, w.repo:gsub('[^%w]', '-'), id)
  W.write(path, text)
  local at = 1777593600 + hour * 3600
  assert(vim.uv.fs_utime(path, at, at))
end

W.younger, W.elder = '11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'

local children = {}

--- A Neovim with the plugin, in the repository.
---@param w World
---@param options? table of the plugin
---@param env? table<string, string>
---@return table child
function W.neovim(w, options, env)
  local child = MiniTest.new_child_neovim()
  table.insert(children, child)
  local before = {}
  local own = {
    HOME = w.home,
    PATH = w.top .. '/bin:' .. vim.env.PATH,
    GATE = w.top .. '/gate',
    CLAUDECODE = '1',
  }
  for name, value in pairs(vim.tbl_extend('force', own, env or {})) do
    before[name] = vim.env[name] or false
    vim.env[name] = value
  end
  child.start(
    { '--cmd', 'set rtp^=' .. vim.env.TEST_PLUGIN, '-u', vim.env.TEST_SPECS .. '/init.lua' },
    { nvim_executable = vim.env.TEST_NVIM, connection_timeout = 60000 }
  )
  for name, value in pairs(before) do
    vim.env[name] = value or nil
  end
  options = vim.tbl_extend('keep', options or {}, { cmd = { vim.env.TEST_SIDEFORK, 'serve' }, echo = false })
  child.lua('vim.g.sidefork = ...; vim.fn.chdir(select(2, ...))', { options, w.repo })
  return child
end

W.features = { 'fork', 'form', 'outcome', 'workspaces', 'sessions', 'compare', 'remove', 'locate', 'transcripts' }

--- The command of a sidecar that answers as it is told to (sidecar.lua).
---@param w World
---@param answers table by command
---@param more? table
---@return string[]
function W.sidecar(w, answers, more)
  local script = vim.tbl_extend('force', { contract = 1, features = W.features, answers = answers }, more or {})
  W.write(w.top .. '/script.json', vim.json.encode(script))
  return { vim.env.TEST_NVIM, '--clean', '-n', '-l', vim.env.TEST_SPECS .. '/sidecar.lua', w.top .. '/script.json' }
end

--- Wait in the child until an expression holds.
---@param child table
---@param expression string of Lua
function W.wait(child, expression)
  local code = ('return vim.wait(60000, function() return %s end, 5)'):format(expression)
  if not child.lua(code) then
    error(
      ('never: %s\ntold: %s\nasked: %s'):format(
        expression,
        child.lua_get('vim.inspect(told)'),
        child.lua_get('vim.inspect(asked)')
      ),
      2
    )
  end
end

--- Answer what is asked: by the kind or prompt of it, a pattern of what to choose, a text to type, false to leave it, or a
--- list of these, one for each time. Of what no rule is about, the first entry is chosen, the default typed.
---@param child table
---@param rules table
function W.answer(child, rules)
  child.lua('rules = ...', { rules })
end

--- Fork by :Sidefork and wait for its end.
---@param child table
---@param command? string
function W.fork(child, command)
  child.lua('ended = nil')
  child.cmd(command or 'Sidefork fork')
  W.wait(child, 'ended')
end

---@param child table
---@return string
function W.told(child)
  return child.lua_get("table.concat(told, '\\n')")
end

--- The worktrees of a repository beside the main one.
---@param w World
---@return string[]
function W.worktrees(w)
  local list = {}
  for path in W.run({ 'git', 'worktree', 'list', '--porcelain' }, w.repo):gmatch('worktree ([^\n]+)') do
    if path ~= w.repo then
      list[#list + 1] = path
    end
  end
  return list
end

--- A set of specs after each of which its Neovims end.
function W.set()
  return MiniTest.new_set({
    hooks = {
      post_case = function()
        for _, child in ipairs(children) do
          child.stop()
        end
        children = {}
      end,
    },
  })
end

return W
