--- The right-click menu: one entry, and where no fork can be made the reason stands in it and it cannot be chosen.
local client = require('sidefork.client')
local config = require('sidefork.config')
local place = require('sidefork.place')
local words = require('sidefork.words')
local workspaces = require('sidefork.workspaces')

local M = {}

local label = 'Fork Agent Session'

--- Milliseconds that a menu waits for the sidecar; what it says later holds for the next one.
M.wait = 150

---@class sidefork.Known what is known of a folder
---@field reason? sidefork.Reason why it cannot be forked; nil where it can
---@field hidden? boolean there is nothing to offer

---@type table<string, sidefork.Known>
local known = {}

client.on('exit', function()
  known = {}
end)

---@param folder string
---@param answered fun()
local function ask(folder, answered)
  workspaces.list(folder, function(failure, list)
    local workspace = list and workspaces.of(list, folder)
    if failure then
      known[folder] = { reason = failure.reason }
    elseif workspace then
      known[folder] =
        { reason = not workspace.fork.allowed and workspace.fork.reason or nil, hidden = workspace.fork.hidden }
    end
    answered()
  end)
end

--- Why no fork can be made of a buffer, as far as that is known in time.
---@param buf integer
---@return sidefork.Known
function M.known(buf)
  local where = place.of(buf)
  local folder = where.folder
  local answered, failure = false, nil
  client.ready(function(f)
    failure = f
    if f or client.lacks('fork', 'form', 'outcome', 'workspaces') or not folder then
      answered = true
    else
      ask(folder, function()
        answered = true
      end)
    end
  end)
  vim.wait(M.wait, function()
    return answered
  end, 5)
  if failure then
    return { reason = failure.reason }
  end
  local lacks = client.lacks('fork', 'form', 'outcome', 'workspaces')
  if lacks then
    return { reason = lacks }
  end
  return folder and known[folder] or {}
end

---@param text string
---@return string
local function escaped(text)
  return (words.inert(text):gsub('[ .]', '\\%0'))
end

local drawn ---@type string? the entry's text, as a menu's path

local function clear()
  if drawn then
    pcall(vim.cmd, 'silent! aunmenu PopUp.' .. drawn)
    pcall(vim.cmd, 'silent! tlunmenu PopUp.' .. drawn)
    drawn = nil
  end
end

--- Draw the entry anew, before the menu is shown.
---@param _mode string
function M.update(_mode)
  clear()
  if not config.get().menu then
    return
  end
  local about = M.known(vim.api.nvim_get_current_buf())
  if about.hidden then
    return
  end
  local text = about.reason and ('%s (%s)'):format(label, words.short(about.reason.message, 80)) or label .. '…'
  drawn = escaped(text)
  vim.cmd('anoremenu PopUp.' .. drawn .. ' <Cmd>Sidefork fork<CR>')
  vim.cmd('tlnoremenu PopUp.' .. drawn .. ' <Cmd>Sidefork fork<CR>')
  if about.reason then
    vim.cmd('amenu disable PopUp.' .. drawn)
    vim.cmd('tlmenu disable PopUp.' .. drawn)
  end
end

--- The entry's text as it was drawn last.
---@return string?
function M.drawn()
  return drawn and (drawn:gsub('\\(.)', '%1'))
end

return M
