local W = require('world')
local T = W.set()

T['what comes from the wire is shown without what a terminal would obey'] = function()
  local child = W.neovim(W.new())
  for given, want in pairs({
    ['a\27[2Jb'] = 'a[2Jb',
    ['a\r\nb\rc'] = 'a b c',
    ['a\tb'] = 'a  b',
    ['a\127\0\8b'] = 'ab',
    ['\194\155x \194\160'] = 'x \194\160',
    ['\226\128\174evil\226\129\166'] = 'evil',
    ['ä – “q” 語'] = 'ä – “q” 語',
  }) do
    W.eq(child.lua("return require('sidefork.words').line(...)", { given }), want)
  end
  W.eq(child.lua("return require('sidefork.words').line(nil)"), '')
  W.eq(child.lua("return require('sidefork.words').short('語語語語', 5)"), '語語…')
end

T['hostile titles are words in a picker, in the status line and in the title of a list'] = function()
  local w = W.new()
  W.converse(w, W.younger, '\27]0;x\7 %{v:lua.os.exit()} <Esc>:q!<CR> | bad', 10)
  local child = W.neovim(w, { open = 'stay' })
  child.o.statusline = "%!v:lua.require'sidefork'.statusline()"
  W.fork(child)
  W.has(child.lua_get('asked[1].items[1]'), ']0;x %{v:lua.os.exit()} <Esc>:q!<CR> | bad')
  for _, text in ipairs({ '%{1+1}', '%#Error#', '%=', 'a%%b', '%' }) do
    local line = child.lua(
      [[
      local operation = require('sidefork.operation')
      operation.running.x = { token = 'x', command = 'c', title = 'Fork', message = ..., percentage = 40 }
      local line = require('sidefork').statusline()
      local as_function = vim.api.nvim_eval_statusline("%!v:lua.require'sidefork'.statusline()", {}).str
      local as_value = vim.api.nvim_eval_statusline("%{v:lua.require'sidefork'.statusline()}", {}).str
      operation.running.x = nil
      return { line, as_function, as_value }]],
      { text }
    )
    W.eq(line[2], line[1])
    W.eq(line[3], line[1])
    W.has(line[1], '(40/100)')
  end
end

T['an id is a UUID'] = function()
  local child = W.neovim(W.new())
  for _ = 1, 50 do
    local id = child.lua_get("require('sidefork.operation').uuid()")
    W.ok(id:match('^%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$'), id)
  end
end

return T
