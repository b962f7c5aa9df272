--- Buffers that were changed and not saved: a fork brings what is on the disk, and the person should know.
local config = require('sidefork.config')
local host = require('sidefork.host')
local log = require('sidefork.log')
local task = require('sidefork.task')
local words = require('sidefork.words')

local M = {}

---@param name string
---@return string
local function physical(name)
  local folder = vim.uv.fs_realpath(vim.fs.dirname(name)) or vim.fs.dirname(name)
  return vim.fs.joinpath(folder, vim.fs.basename(name))
end

--- Those of the working tree that a folder lies in.
---@param folder string
---@return integer[] bufs
local function below(folder)
  local top = vim.fs.root(folder, '.git') or folder
  return vim.tbl_filter(function(buf)
    local name = vim.api.nvim_buf_get_name(buf)
    return vim.bo[buf].modified
      and vim.bo[buf].buftype == ''
      and name ~= ''
      and vim.startswith(physical(name), top .. '/')
  end, vim.api.nvim_list_bufs())
end

---@param bufs integer[]
---@return boolean saved all of them
local function save(bufs)
  for _, buf in ipairs(bufs) do
    local ok, err = pcall(vim.api.nvim_buf_call, buf, function()
      vim.cmd.update({ mods = { silent = true } })
    end)
    if not ok or vim.bo[buf].modified then
      local why = words.line(tostring(err or 'it is still changed'))
      log.notify(('%s was not saved: %s'):format(vim.api.nvim_buf_get_name(buf), why), vim.log.levels.ERROR)
      return false
    end
  end
  return true
end

--- Ask what is to become of them, if there are any. In a task.
---@param folder string
---@return boolean go_on
function M.ask(folder)
  if host.of(config.get().cmd) then
    return true
  end
  local bufs = below(folder)
  if #bufs == 0 then
    return true
  end
  local names = vim.tbl_map(function(buf)
    return vim.fs.basename(vim.api.nvim_buf_get_name(buf))
  end, bufs)
  local with, without = 'Save, then fork', 'Fork what is saved'
  local chosen = task.select({ with, without }, {
    prompt = words.short('Not saved: ' .. table.concat(names, ', '), 70),
    kind = 'sidefork.unsaved',
  })
  if chosen == with then
    return save(bufs)
  end
  return chosen ~= nil
end

return M
