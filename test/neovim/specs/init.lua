-- The child's configuration: a person who answers by rules (world.lua, W.answer).
vim.opt.swapfile = false
_G.rules, _G.asked, _G.told, _G.ended, _G.events = {}, {}, {}, nil, {}

---@param key string
---@param prompt string
local function rule(key, prompt)
  for pattern, answer in pairs(rules) do
    if pattern == key or prompt:find(pattern, 1, true) then
      if type(answer) == 'table' then
        return table.remove(answer, 1)
      end
      return answer
    end
  end
end

vim.ui.select = function(items, opts, chosen)
  local words = vim.tbl_map(opts.format_item or tostring, items)
  table.insert(asked, { kind = opts.kind, prompt = opts.prompt, items = words })
  local wanted = rule(opts.kind, opts.prompt)
  vim.schedule(function()
    if wanted == false then
      return chosen(nil)
    elseif wanted == nil then
      return chosen(items[1], 1)
    end
    for i, word in ipairs(words) do
      if word:find(wanted, 1, true) then
        return chosen(items[i], i)
      end
    end
    table.insert(told, ('no %s in %s'):format(wanted, vim.inspect(words)))
    chosen(nil)
  end)
end

vim.ui.input = function(opts, typed)
  table.insert(asked, { prompt = opts.prompt, default = opts.default })
  local text = rule('input', opts.prompt)
  vim.schedule(function()
    if text == false then
      return typed(nil)
    end
    typed(text == nil and opts.default or text)
  end)
end

vim.notify = function(text)
  table.insert(told, text)
end

vim.api.nvim_create_autocmd('User', {
  pattern = 'Sidefork*',
  callback = function(ev)
    table.insert(events, { name = ev.match, data = ev.data })
    if vim.list_contains({ 'SideforkForked', 'SideforkFailed', 'SideforkCancelled', 'SideforkRemoved' }, ev.match) then
      _G.ended = ev.match
    end
  end,
})

--- A file's text; '' where there is none.
---@param name string in the home
function _G.file(name)
  local f = io.open(vim.env.HOME .. '/' .. name)
  local text = f and f:read('*a') or ''
  if f then
    f:close()
  end
  return text
end
