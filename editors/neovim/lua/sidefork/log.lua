--- What the sidecar has logged and what was told, for `:Sidefork log`.
local client = require('sidefork.client')
local words = require('sidefork.words')

local M = {}

local most = 500
---@type string[]
local lines = {}

--- Keep a line.
---@param text string
function M.add(text)
  for _, line in ipairs(vim.split(words.text(text), '\n')) do
    lines[#lines + 1] = os.date('%H:%M:%S ') .. line
  end
  if #lines > most then
    lines = vim.list_slice(lines, #lines - most + 1)
  end
end

--- Tell the user, and keep it.
---@param text string
---@param level? integer
function M.notify(text, level)
  text = vim.trim(words.text(text))
  M.add(text)
  vim.notify('sidefork: ' .. text, level or vim.log.levels.INFO)
end

--- Tell the user why something did not happen.
---@param failure sidefork.Failure
function M.failed(failure)
  M.notify(words.failure(failure), vim.log.levels.ERROR)
end

--- Show lines in a scratch buffer of a split.
---@param name string
---@param text string[]
---@param filetype? string
---@return integer buf
function M.show(name, text, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, text)
  vim.bo[buf].bufhidden, vim.bo[buf].modifiable = 'wipe', false
  if filetype then
    vim.bo[buf].filetype = filetype
  end
  pcall(vim.api.nvim_buf_set_name, buf, ('sidefork://%s/%d'):format(name, buf))
  vim.cmd.split({ mods = { split = 'botright' } })
  vim.api.nvim_win_set_buf(0, buf)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'Close' })
  return buf
end

--- `:Sidefork log`.
function M.open()
  local known = client.known()
  local head = {
    known and ('The sidecar is %s, contract %s.'):format(words.line(known.version), tostring(known.contract))
      or 'The sidecar does not run.',
    'Its own log is in $XDG_STATE_HOME/sidefork/log (~/.local/state/sidefork/log); :checkhealth sidefork says where.',
    'What the LSP client has logged is in ' .. require('vim.lsp.log').get_filename() .. '.',
    '',
  }
  local buf = M.show('log', vim.list_extend(head, lines))
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buf), 0 })
end

client.on('window/logMessage', function(params)
  M.add('sidecar: ' .. words.line(params.message))
end)

return M
