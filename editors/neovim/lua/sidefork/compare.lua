--- What a workspace has changed against its parent: a quickfix list of the places, and diffview.nvim or neogit where there
--- is one of them. In the quickfix window D shows the file beside what it was.
local config = require('sidefork.config')
local host = require('sidefork.host')
local log = require('sidefork.log')
local operation = require('sidefork.operation')
local task = require('sidefork.task')
local words = require('sidefork.words')
local workspaces = require('sidefork.workspaces')

local M = {}

local most_files = 200 -- of which each place is listed; of the others the file alone
local most_bytes = 1024 * 1024 -- of a file whose places are listed

---@class sidefork.Comparison
---@field path string of the workspace
---@field base string object id

---@param comparison sidefork.Comparison
---@param file table
---@return string
local function name_of(comparison, file)
  local box = host.of(config.get().cmd)
  local path = comparison.path .. '/' .. file.path
  return box and ('scp://%s/%s'):format(box.name, path) or path
end

--- A file as it was at the base; '' where it was not there. In a task.
---@param comparison sidefork.Comparison
---@param file table
---@return string? text
local function at_base(comparison, file)
  if file.change == 'added' or file.change == 'untracked' then
    return ''
  elseif not comparison.base:match('^%x+$') then
    return nil
  end
  local object = ('%s:%s'):format(comparison.base, file.oldPath or file.path)
  local argv = { 'git', '-C', comparison.path, '--no-optional-locks', 'cat-file', 'blob', object }
  local done = task.await(function(answered)
    local ok = pcall(vim.system, host.plain(host.of(config.get().cmd), argv), {}, answered)
    if not ok then
      answered({ code = 1 })
    end
  end)
  return done.code == 0 and done.stdout or nil
end

---@param path string
---@return string?
local function on_disk(path)
  local about = vim.uv.fs_lstat(path)
  if not about then
    return ''
  elseif about.type ~= 'file' or about.size > most_bytes then
    return nil
  end
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  return text
end

local diff = vim.text and vim.text.diff or vim.diff

--- Where a file differs: the lines on disk.
---@param comparison sidefork.Comparison
---@param file table
---@return { lnum: integer, text: string }[]
local function places(comparison, file)
  local was = at_base(comparison, file)
  local is = was and #was <= most_bytes and on_disk(comparison.path .. '/' .. file.path)
  if not was or not is or is == '' then
    return {}
  end
  local lines = vim.split(is, '\n')
  local list = {}
  for _, hunk in
    ipairs(diff(was, is, { result_type = 'indices' }) --[[@as integer[][] ]])
  do
    local lnum = math.max(hunk[3], 1)
    list[#list + 1] = { lnum = lnum, text = words.short(lines[lnum] or '', 100) }
  end
  return list
end

---@param file table
---@return string
local function about(file)
  local text = file.change
  if file.oldPath then
    text = ('%s from %s'):format(text, file.oldPath)
  end
  if not file.binary and file.additions then
    text = ('%s +%d -%d'):format(text, file.additions, file.deletions or 0)
  end
  return words.line(text .. (file.committed and '' or ', not committed'))
end

---@param comparison sidefork.Comparison
---@param files table[]
---@return table[]
local function items(comparison, files)
  local list = {}
  local here = not host.of(config.get().cmd)
  for i, file in ipairs(files) do
    local name, what = name_of(comparison, file), about(file)
    local found = here and i <= most_files and not file.binary and places(comparison, file) or {}
    if #found == 0 then
      found = { { lnum = 1, text = '' } }
    end
    for _, place in ipairs(found) do
      list[#list + 1] = {
        filename = name,
        lnum = place.lnum,
        text = vim.trim(what .. '  ' .. place.text),
        user_data = { file = file, comparison = comparison },
      }
    end
  end
  return list
end

--- Show the file of an entry of the quickfix list beside what it was at the base.
---@param entry table
function M.beside(entry)
  local data = type(entry.user_data) == 'table' and entry.user_data or {}
  local comparison, file = data.comparison, data.file
  if not comparison then
    return
  end
  task.run(function()
    local was = at_base(comparison, file)
    if not was then
      return log.notify(('%s cannot be read as it was.'):format(file.path), vim.log.levels.WARN)
    end
    vim.cmd.tabnew()
    vim.api.nvim_win_set_buf(0, vim.fn.bufadd(name_of(comparison, file)))
    vim.bo.buflisted = true
    local filetype = vim.bo.filetype
    vim.cmd.diffthis()
    local buf = vim.api.nvim_create_buf(false, true)
    local lines = vim.split(was, '\n')
    if lines[#lines] == '' then
      table.remove(lines)
    end
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].bufhidden, vim.bo[buf].modifiable, vim.bo[buf].filetype = 'wipe', false, filetype
    pcall(
      vim.api.nvim_buf_set_name,
      buf,
      ('sidefork://%s/%s'):format(comparison.base:sub(1, 8), file.oldPath or file.path)
    )
    vim.cmd.split({ mods = { vertical = true, split = 'leftabove' } })
    vim.api.nvim_win_set_buf(0, buf)
    vim.cmd.diffthis()
    vim.cmd.wincmd('p')
  end)
end

---@param title string
local function open_list(title)
  vim.cmd.copen({ mods = { split = 'botright' } })
  local id = vim.fn.getqflist({ id = 0 }).id
  vim.w.quickfix_title = title
  vim.keymap.set('n', 'D', function()
    local list = vim.fn.getqflist({ id = 0, items = 0 })
    if list.id == id then
      M.beside(list.items[vim.fn.line('.')] or {})
    end
  end, { buffer = true, desc = 'sidefork: the file beside what it was' })
end

-- What shows a comparison; true where it does.
---@type table<string, fun(comparison: sidefork.Comparison): boolean>
local viewers = {}

function viewers.diffview(comparison)
  local found, diffview = pcall(require, 'diffview')
  if found then
    diffview.open({ comparison.base, '-C' .. comparison.path })
  end
  return found
end

function viewers.neogit(comparison)
  local found, neogit = pcall(require, 'neogit')
  if found then
    neogit.open({ cwd = comparison.path, no_expand = true })
  end
  return found
end

---@param comparison sidefork.Comparison
---@return boolean
local function shown_by_another(comparison)
  local how = config.get().compare
  if how == 'quickfix' or host.of(config.get().cmd) or not comparison.base:match('^%x+$') then
    return false
  elseif how ~= 'auto' then
    return viewers[how](comparison)
  end
  return viewers.diffview(comparison) or viewers.neogit(comparison)
end

--- Compare a workspace with its parent's branch, or with another workspace.
---@param options? { path?: string, with?: string, done?: fun(failure: sidefork.Failure?, result: table?) }
function M.compare(options)
  options = options or {}
  task.run(function()
    local list, where = workspaces.here('compare', options.path)
    local workspace = list and where and workspaces.of(list, where.folder)
    if not workspace then
      return
    end
    local failure, result = task.await(function(answered)
      local argument = { workspace = workspace.path, with = options.with }
      operation.execute('sidefork.compare', argument, { title = 'Compare', reads = true }, answered)
    end)
    if failure then
      log.failed(failure)
    elseif result.status == 'cancelled' then
      return
    elseif #result.files == 0 then
      log.notify(('%s has changed nothing.'):format(workspace.name))
    else
      local comparison = { path = workspace.path, base = result.base }
      local against = result.branch or result.with or result.head
      local title =
        words.inert(('%s against %s: %d ahead, %d behind'):format(workspace.name, against, result.ahead, result.behind))
      vim.fn.setqflist({}, ' ', { title = title, items = items(comparison, result.files) })
      if not shown_by_another(comparison) then
        open_list(title)
      end
    end
    if options.done then
      options.done(failure, result)
    end
  end)
end

return M
