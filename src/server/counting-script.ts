/** What the script answers, in this order. */
export const countedFields = [
  'minute_used',
  'minute_end',
  'day_used',
  'day_end',
  'banned_until',
  'verdict',
] as const;

/**
 * `Meters.count` in Lua, rule by rule. It takes the time, the lengths of the windows, the limits, how many refusals
 * ban, and the longest ban. A key goes a minute after its windows and its ban are over, since clocks differ.
 */
export const countingScript = `
local now, minute, day = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local perMinute, perDay = tonumber(ARGV[4]), tonumber(ARGV[5])
local refusalsBeforeBan, longestBan = tonumber(ARGV[6]), tonumber(ARGV[7])

local kept = redis.pcall('HMGET', KEYS[1],
  'minute_used', 'minute_end', 'day_used', 'day_end', 'banned_until', 'refusals', 'bans')
local function count(field)
  local number = tonumber(kept[field])
  return number and number >= 0 and number < 2 ^ 53 and number or nil
end
local minuteUsed, minuteEnd, dayUsed, dayEnd = count(1), count(2), count(3), count(4)
local bannedUntil, refusals, bans = count(5), count(6), count(7)
if not (minuteUsed and minuteEnd and dayUsed and dayEnd and bannedUntil and refusals and bans) then
  redis.call('DEL', KEYS[1])
  minuteUsed, minuteEnd, dayUsed, dayEnd, bannedUntil, refusals, bans = 0, 0, 0, 0, 0, 0, 0
end

local minuteOpen, dayOpen, banned = minuteEnd > now, dayEnd > now, bannedUntil > now
local full = (minuteOpen and minuteUsed >= perMinute) or (dayOpen and dayUsed >= perDay)
local bansNow = full and refusals + 1 >= refusalsBeforeBan and not banned
local refused = banned or full

local function used(open, count)
  if refused then return count end
  return open and count + 1 or 1
end
local function over(open, current, length)
  return (refused or open) and current <= now + length and current or now + length
end
minuteUsed, minuteEnd = used(minuteOpen, minuteUsed), over(minuteOpen, minuteEnd, minute)
dayUsed, dayEnd = used(dayOpen, dayUsed), over(dayOpen, dayEnd, day)

local verdict = 'allowed'
if banned then
  verdict, refusals = 'banned', 0
elseif bansNow then
  verdict, refusals = 'ban', 0
  bannedUntil = now + math.min(300000 * 2 ^ bans, longestBan)
  bans = bans + 1
elseif full then
  verdict, refusals = 'full', refusals + 1
else
  refusals = 0
  if not dayOpen then bans = 0 end
end
bannedUntil = math.min(bannedUntil, now + longestBan)

local function whole(number) return string.format('%.0f', number) end
local after = { whole(minuteUsed), whole(minuteEnd), whole(dayUsed), whole(dayEnd), whole(bannedUntil), verdict }
redis.call('HSET', KEYS[1], 'minute_used', after[1], 'minute_end', after[2], 'day_used', after[3], 'day_end', after[4],
  'banned_until', after[5], 'refusals', whole(refusals), 'bans', whole(bans))
redis.call('PEXPIRE', KEYS[1], whole(math.max(minuteEnd, dayEnd, bannedUntil) - now + 60000))
return after`;
