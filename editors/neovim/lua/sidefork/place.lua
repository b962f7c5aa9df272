--- Which folder a command is about: of a file's buffer its folder, of a terminal the folder of its shell, else the
--- window's. The sidecar finds the workspace that it lies in.
local config = require('sidefork.config')
local host = require('sidefork.host')
local task = require('sidefork.task')

local M = {}

---@class sidefork.Place
---@field folder? string absolute, on the sidecar's machine; nil where nobody can tell
---@field terminal? integer the buffer of the terminal that is meant
---@field pid? integer of its shell, where the sidecar is on the same machine

---@param path string
---@return string?
local function folder_at(path)
  local real = vim.uv.fs_realpath(path)
  local about = real and vim.uv.fs_stat(real)
  if not about then
    return nil
  end
  return about.type == 'directory' and real or vim.fs.dirname(real)
end

--- The process that runs in a terminal's buffer.
---@param buf integer
---@return integer?
function M.pid(buf)
  return vim.bo[buf].buftype == 'terminal' and vim.b[buf].terminal_job_pid or nil
end

---@param buf integer
---@return string?
local function folder_of_terminal(buf)
  local pid = M.pid(buf)
  local folder = pid and vim.uv.fs_readlink(('/proc/%d/cwd'):format(pid))
  if not folder then
    local began = vim.api.nvim_buf_get_name(buf):match('^term://(.-)//%d+:')
    folder = began and vim.fn.fnamemodify(began, ':p')
  end
  return folder and folder_at(folder)
end

---@param buf integer
---@param options sidefork.Config
---@return string?
local function configured(buf, options)
  local folder = options.workspace
  if type(folder) == 'function' then
    folder = folder(buf)
  end
  return type(folder) == 'string' and folder ~= '' and folder or nil
end

--- The folder of a file that netrw or oil.nvim has from that machine.
---@param name string
---@param box sidefork.Host
---@return string?
local function folder_there(name, box)
  local there, path = name:match('^%a[%w-]*://([^/]+)/(/.+)$')
  if there and (there == box.name or there:gsub(':%d+$', '') == box.name) then
    return (path:gsub('/[^/]*$', ''))
  end
end

--- What a buffer is about.
---@param buf? integer the current one
---@param path? string a folder that was named
---@return sidefork.Place
function M.of(buf, path)
  buf = (buf == nil or buf == 0) and vim.api.nvim_get_current_buf() or buf
  local options = config.get()
  local box = host.of(options.cmd)
  local terminal = vim.bo[buf].buftype == 'terminal' and buf or nil
  if box then
    local folder = path or folder_there(vim.api.nvim_buf_get_name(buf), box) or configured(buf, options)
    return { folder = folder, terminal = terminal }
  end
  local place = { terminal = terminal, pid = M.pid(buf) }
  if path then
    path = vim.fn.fnamemodify(path, ':p')
    place.folder = vim.uv.fs_realpath(path) or path
    return place
  end
  if terminal then
    place.folder = folder_of_terminal(buf)
  elseif vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) ~= '' then
    local name = vim.api.nvim_buf_get_name(buf)
    place.folder = folder_at(name) or folder_at(vim.fs.dirname(name))
  end
  place.folder = place.folder or configured(buf, options) or folder_at(vim.fn.getcwd())
  return place
end

local said ---@type string? the folder on another machine that was named last

--- The same; where nothing tells the folder, it is asked for. In a task.
---@param buf? integer
---@param path? string
---@return sidefork.Place?
function M.ask(buf, path)
  local place = M.of(buf, path)
  if not place.folder then
    local box = host.of(config.get().cmd)
    local folder =
      task.input({ prompt = ('Folder on %s: '):format(box and box.name or 'this machine'), default = said })
    if not folder or folder == '' then
      return nil
    end
    said, place.folder = folder, folder
  end
  return place
end

return M
