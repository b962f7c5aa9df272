local W = require('world')
local T = W.set()

--- A child that was forked already, and is as its Neovim stands in it.
local function forked(options)
  local w = W.new()
  local child = W.neovim(w, options)
  W.answer(child, { ['Name of'] = 'try' })
  W.fork(child)
  child.lua('ended, told, asked = nil, {}, {}')
  return w, child, w.top .. '/app-worktrees/try'
end

T['a session is chosen from all, and forked where it is at home'] = function()
  local w = W.new()
  W.converse(w, W.elder, 'The elder %d|x', 9)
  W.converse(w, W.younger, 'The younger', 10)
  local child = W.neovim(w, { open = 'stay' })
  child.fn.chdir(w.top)
  W.answer(child, { ['sidefork.session'] = { 'The elder', 'The elder' } })
  W.fork(child, 'Sidefork sessions all')
  W.wait(child, "vim.uv.fs_stat(vim.env.HOME .. '/started')")
  W.has(W.read(w.home .. '/started'), W.elder)
  W.has(child.lua_get('asked[1].items'), 'claude · The elder %d|x · 2026-')
end

T['workspaces are a tree, and one is opened'] = function()
  local w, child, path = forked()
  child.cmd('tabfirst')
  W.answer(child, { ['sidefork.workspace'] = 'try', ['sidefork.workspace.act'] = 'Open' })
  child.cmd('Sidefork workspaces')
  W.wait(child, "vim.fn.tabpagenr('$') == 3")
  W.eq(child.lua_get('asked[1].items'), { 'app · main', '  try · try' })
  W.eq(child.fn.getcwd(), path)
  W.eq(#W.worktrees(w), 1)
end

T['what is uncommitted is not removed unless it is said again, and how it comes back is told'] = function()
  local w, child, path = forked()
  W.answer(child, { ['sidefork.remove.force'] = 'Keep it' })
  child.cmd('Sidefork remove')
  W.wait(child, '#asked == 3')
  W.has(child.lua_get('asked[1].items'), 'try')
  W.has(child.lua_get('asked[3].prompt'), 'Nothing was written.')
  W.ok(vim.uv.fs_stat(path), 'it was removed without a word')
  W.answer(child, { ['sidefork.remove'] = 'and its branch', ['sidefork.remove.force'] = 'all the same' })
  W.fork(child, 'Sidefork remove ' .. path)
  W.eq(child.lua_get('ended'), 'SideforkRemoved')
  W.eq(vim.uv.fs_stat(path), nil)
  W.eq(W.run({ 'git', 'branch', '--list', 'try' }, w.repo), '')
  W.has(W.told(child), 'These bring it back:')
end

T['compare is a quickfix list of places, with each file beside what it was'] = function()
  local _, child, path = forked()
  child.cmd('Sidefork compare')
  W.wait(child, "vim.bo.buftype == 'quickfix'")
  local list = child.lua_get([[vim.tbl_map(function(i)
    return { vim.fn.fnamemodify(vim.fn.bufname(i.bufnr), ':t'), i.lnum, i.text } end, vim.fn.getqflist())]])
  W.eq(list, { { 'b', 2, 'modified +1 -1, not committed  TWO' }, { 'new', 1, 'untracked +1 -0, not committed  new' } })
  child.type_keys('D')
  W.wait(child, "vim.wo.diff and vim.fn.winnr('$') == 2")
  child.cmd('wincmd h')
  W.eq(child.api.nvim_buf_get_lines(0, 0, -1, false), { 'one', 'two', 'three' })
  child.cmd('wincmd l')
  W.eq(child.api.nvim_buf_get_name(0), path .. '/b')
  W.eq(child.wo.diff, true)
end

T['compare opens diffview.nvim, or neogit, where there is one'] = function()
  for _, name in ipairs({ 'diffview', 'neogit' }) do
    local w, child, path = forked()
    child.lua('package.loaded[...] = { open = function(args) shown = args end }', { name })
    child.cmd('Sidefork compare ' .. path)
    W.wait(child, 'shown')
    local base = W.run({ 'git', 'rev-parse', 'main' }, w.repo)
    local want = name == 'diffview' and { base, '-C' .. path } or { cwd = path, no_expand = true }
    W.eq(child.lua_get('shown'), want)
    W.eq(child.lua_get('#vim.fn.getqflist()'), 2)
  end
end

T['the log has what was told, and says where more is'] = function()
  local _, child = forked()
  child.cmd('Sidefork log')
  local text = table.concat(child.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  W.has(text, 'The sidecar is 0.0.0-test, contract 1.')
  W.has(text, 'Forked into try')
end

T['completion, wrong words, <Plug>'] = function()
  local child = W.neovim(W.new())
  W.eq(
    child.fn.getcompletion('Sidefork ', 'cmdline'),
    { 'cancel', 'compare', 'fork', 'log', 'remove', 'sessions', 'workspaces' }
  )
  W.eq(child.fn.getcompletion('Sidefork co', 'cmdline'), { 'compare' })
  W.eq(child.fn.getcompletion('Sidefork sessions ', 'cmdline'), { 'workspace', 'repository', 'all' })
  W.eq(child.fn.getcompletion('Sidefork cancel ', 'cmdline'), {})
  vim.fn.mkdir(vim.fs.dirname(child.fn.getcwd()) .. '/two words')
  W.eq(child.fn.getcompletion('Sidefork fork ../two\\ w', 'cmdline'), { '../two\\ words/' })
  child.cmd('Sidefork frok')
  W.has(W.told(child), 'There is no :Sidefork frok.')
  child.cmd('Sidefork log x')
  W.has(W.told(child), 'x is too much')
  child.cmd('nmap gF <Plug>(sidefork-fork)')
  W.answer(child, { ['Name of'] = false })
  child.type_keys('gF')
  W.wait(child, '#asked == 1')
  W.eq(child.lua_get("package.loaded['sidefork.health'] == nil"), true)
end

return T
