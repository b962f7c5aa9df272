--- What comes from the wire is text of strangers: titles, paths, names. Here it is made fit to be shown.
local M = {}

-- Not shown: controls of the terminal (C0, DEL, C1) and what turns the direction of writing round.
local hidden = {
  ['\226\128'] = '[\142\143\168-\174]', -- U+200E, U+200F, U+2028 to U+202E
  ['\226\129'] = '[\166-\169]', -- U+2066 to U+2069
}

--- Text of several lines without anything that a terminal would obey.
---@param text any
---@return string
function M.text(text)
  text = type(text) == 'string' and text or ''
  text = text:gsub('\r\n?', '\n'):gsub('\t', '  '):gsub('[%z\1-\9\11-\31\127]', ''):gsub('\194[\128-\159]', '')
  for lead, last in pairs(hidden) do
    text = text:gsub(lead .. last, '')
  end
  return text
end

--- The same as one line.
---@param text any
---@return string
function M.line(text)
  return vim.trim((M.text(text):gsub('%s*\n%s*', ' ')))
end

--- One line of at most so many cells.
---@param text any
---@param cells integer
---@return string
function M.short(text, cells)
  text = M.line(text)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local n = vim.fn.strchars(text)
  repeat
    n = n - 1
  until vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, n)) < cells
  return vim.fn.strcharpart(text, 0, n) .. '…'
end

-- Signs that a status line, a menu or a key's notation would read, and their likes that nothing reads.
local likes = { ['%'] = '％', ['|'] = '¦', ['<'] = '‹', ['>'] = '›', ['\\'] = '＼', ['&'] = '＆' }

--- A line in which nothing means anything to a status line or a menu, even where it is read twice.
---@param text any
---@return string
function M.inert(text)
  return (M.line(text):gsub('[%%|<>\\&]', likes))
end

--- A reason or a warning in one line.
---@param reason { message?: string, remedy?: string }?
---@return string
function M.reason(reason)
  reason = reason or {}
  return vim.trim(M.line(reason.message) .. ' ' .. M.line(reason.remedy))
end

local effects = {
  nothing = 'Nothing was written.',
  rolledBack = 'What was begun has been taken back completely.',
  kept = 'It could not be taken back: what is named here stands.',
  unknown = 'It may be partially applied.',
}

--- A failure as it is told: every reason, the details, and what it has left behind.
---@param failure sidefork.Failure
---@return string
function M.failure(failure)
  local lines = {}
  local reasons = failure.reasons
  if not reasons or #reasons == 0 then
    reasons = { failure.reason }
  end
  for _, reason in ipairs(reasons) do
    lines[#lines + 1] = M.reason(reason)
  end
  if failure.detail and failure.detail ~= '' then
    lines[#lines + 1] = M.text(failure.detail)
  end
  lines[#lines + 1] = effects[failure.effect] or effects.unknown
  return table.concat(lines, '\n')
end

return M
