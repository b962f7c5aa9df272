-- Everything else is read when it is first needed.
if vim.g.loaded_sidefork or vim.fn.has('nvim-0.10') == 0 then
  return
end
vim.g.loaded_sidefork = true

vim.api.nvim_create_user_command('Sidefork', function(o)
  require('sidefork.command').run(o)
end, {
  nargs = '*',
  desc = 'Fork the session of a coding agent with its uncommitted changes',
  complete = function(...)
    return require('sidefork.command').complete(...)
  end,
})

for _, name in ipairs({ 'fork', 'sessions', 'workspaces', 'compare', 'remove', 'log', 'cancel' }) do
  vim.keymap.set('n', '<Plug>(sidefork-' .. name .. ')', function()
    require('sidefork.command').run({ fargs = { name } })
  end, { desc = 'sidefork: ' .. name })
end
vim.keymap.set('t', '<Plug>(sidefork-fork)', function()
  require('sidefork.command').run({ fargs = { 'fork' } })
end, { desc = 'sidefork: fork' })

vim.api.nvim_create_autocmd('MenuPopup', {
  group = vim.api.nvim_create_augroup('sidefork_menu', {}),
  desc = 'sidefork: say in the right-click menu whether a fork can be made here',
  callback = function(ev)
    require('sidefork.menu').update(ev.match)
  end,
})
