local W = require('world')
local T = W.set()

T['a dialog that is only confirmed forks the newest session with the changes, and its agent runs in a new tab'] = function()
  local w = W.new()
  W.converse(w, W.elder, 'The elder', 9)
  W.converse(w, W.younger, 'The younger', 10)
  local child = W.neovim(w)
  W.fork(child)
  W.eq(child.lua_get('ended'), 'SideforkForked')
  W.eq(child.lua_get('asked[1].kind'), 'sidefork.session')
  W.has(child.lua_get('asked[1].items[1]'), 'The younger')
  W.has(child.lua_get('asked[2].prompt'), 'Name of the new branch')
  W.has(child.lua_get('asked[3].items'), 'Bring uncommitted changes (1 modified, 1 new): yes')
  local path = w.top .. '/app-worktrees/app-fork'
  W.eq(child.fn.getcwd(), path)
  W.eq(child.fn.tabpagenr('$'), 2)
  W.eq(child.bo.buftype, 'terminal')
  W.eq(W.run({ 'git', 'status', '--porcelain' }, path), W.run({ 'git', 'status', '--porcelain' }, w.repo))
  W.wait(child, "vim.uv.fs_stat(vim.env.HOME .. '/started')")
  W.wait(child, "vim.fn.join(vim.api.nvim_buf_get_lines(0, 0, -1, false)):find('the stub of claude')")
  local started = assert(W.read(w.home .. '/started'))
  W.has(started, path .. '\nCLAUDECODE=unset\n')
  W.has(started, '--resume\n' .. W.younger .. '\n--fork-session\n')
end

T['the summary can be changed: another session, no changes, another base'] = function()
  local w = W.new()
  W.converse(w, W.elder, 'The elder', 9)
  W.converse(w, W.younger, 'The younger', 10)
  local child = W.neovim(w)
  W.answer(child, {
    ['sidefork.session'] = { 'The younger', 'The elder' },
    ['Name of'] = 'other',
    ['sidefork.summary'] = { 'Session to fork', 'Bring uncommitted', 'Start from', 'Show what', 'Fork' },
    ['sidefork.base'] = { 'Search', 'older' },
    ['Start from: '] = 'old',
  })
  W.fork(child)
  local path = w.top .. '/app-worktrees/other'
  W.eq(W.run({ 'git', 'rev-parse', 'HEAD' }, path), W.run({ 'git', 'rev-parse', 'older' }, w.repo))
  W.eq(W.run({ 'git', 'status', '--porcelain' }, path), '')
  W.wait(child, "vim.uv.fs_stat(vim.env.HOME .. '/started')")
  W.has(W.read(w.home .. '/started'), W.elder)
  local plan = child.lua_get([[vim.iter(vim.api.nvim_list_bufs()):map(function(b)
    return vim.api.nvim_buf_get_name(b):match('sidefork://plan') and table.concat(vim.api.nvim_buf_get_lines(b, 0, -1, false), '\n')
  end):join('')]])
  W.has(plan, 'Branch: other')
end

T['a name that git would refuse is asked for again, and nothing is written'] = function()
  local w = W.new()
  local child = W.neovim(w)
  W.answer(child, { ['Name of'] = 'no..name', ['sidefork.summary'] = { 'Fork', false } })
  child.cmd('Sidefork fork')
  W.wait(child, 'rules["sidefork.summary"][1] == nil')
  W.has(W.told(child), 'Name of the new branch: ')
  W.has(child.lua_get('asked[#asked].items'), '!!')
  W.eq(W.worktrees(w), {})
  W.eq(vim.uv.fs_stat(w.repo .. '/.git/sidefork'), nil)
end

T['a dialog that is left at any step writes nothing'] = function()
  local w = W.new()
  W.converse(w, W.younger, 'The younger', 10)
  local child = W.neovim(w)
  for _, step in ipairs({ 'sidefork.session', 'Name of', 'sidefork.summary' }) do
    child.lua('left = nil; rules = { [...] = false }', { step })
    child.lua(
      "require('sidefork').fork({ done = function(failure, result) left = { failure == nil, result == nil } end })"
    )
    W.wait(child, 'left')
    W.eq(child.lua_get('left'), { true, true })
  end
  W.eq(W.worktrees(w), {})
  W.eq(vim.uv.fs_stat(w.repo .. '/.git/sidefork'), nil)
end

T['everything can be said beforehand, and several copies open'] = function()
  local w = W.new()
  local child = W.neovim(w)
  child.lua([[require('sidefork').fork({
    argument = { name = 'many', copies = 2, session = vim.NIL },
    done = function(failure, result) ended, last = failure or 'done', result end,
  })]])
  W.wait(child, 'last')
  W.eq(child.lua_get('ended'), 'done')
  W.eq(child.lua_get('#asked'), 0)
  W.eq(child.fn.tabpagenr('$'), 3)
  W.eq(#W.worktrees(w), 2)
end

T['a workspace that cannot be forked says why'] = function()
  local w = W.new()
  W.run({ 'git', 'checkout', '-q', '--detach' }, w.repo)
  local child = W.neovim(w)
  W.fork(child)
  W.eq(child.lua_get('ended'), 'SideforkFailed')
  W.has(W.told(child), 'Nothing was written.')
  W.eq(child.lua_get('events[#events].data.failure.reason.code'), 'detached')
end

T["settings of the sidecar are the user's, and a sidecar that has ended is said to have written nothing"] = function()
  local w = W.new()
  local child = W.neovim(w, { settings = { name = { pattern = 'x-{workspace}' } } })
  W.answer(child, { ['Name of'] = false })
  child.cmd('Sidefork fork')
  W.wait(child, '#asked > 0')
  W.eq(child.lua_get('asked[1].default'), 'x-app')
  local other = W.neovim(w, { cmd = { 'false' } })
  W.fork(other)
  W.has(W.told(other), 'The sidecar has ended with status 1')
  W.has(W.told(other), 'Nothing was written.')
end

T['what is not saved is asked about before anything else'] = function()
  local w = W.new()
  local child = W.neovim(w)
  child.cmd(
    'edit a | call setline(1, "changed") | set hidden | edit ../elsewhere | call setline(1, "changed") | buffer a'
  )
  W.answer(child, { ['sidefork.unsaved'] = false })
  child.lua("left = false; require('sidefork').fork({ done = function() left = true end })")
  W.wait(child, 'left')
  W.eq(child.lua_get('#asked'), 1)
  W.eq(child.lua_get('asked[1].prompt'), 'Not saved: a')
  W.answer(child, { ['sidefork.unsaved'] = 'Fork what is saved', ['Name of'] = 'one' })
  W.fork(child)
  W.eq(W.read(w.top .. '/app-worktrees/one/a'), 'a\n')
  W.eq(W.read(w.repo .. '/a'), 'a\n')
  child.cmd('tabfirst')
  W.answer(child, { ['sidefork.unsaved'] = 'Save', ['Name of'] = 'two' })
  W.fork(child)
  W.eq(W.read(w.top .. '/app-worktrees/two/a'), 'changed\n')
  W.eq(W.read(w.repo .. '/a'), 'changed\n')
  W.eq(vim.uv.fs_stat(w.top .. '/elsewhere'), nil)
end

T['progress comes by LspProgress and for the status line'] = function()
  local w = W.new()
  local child = W.neovim(w)
  child.lua([[
    stages, lines = {}, {}
    vim.api.nvim_create_autocmd('LspProgress', { callback = function(ev)
      table.insert(stages, ev.data.params.value.message or ev.data.params.value.kind)
      table.insert(lines, require('sidefork').statusline())
    end })]])
  W.fork(child)
  W.has(child.lua_get('stages'), 'Creating workspace')
  W.has(child.lua_get('lines'), 'Fork: Creating workspace (')
  W.eq(child.lua_get("require('sidefork').statusline()"), '')
end

return T
