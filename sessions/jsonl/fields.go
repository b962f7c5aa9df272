package jsonl

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Fields gives the members of the object that data begins with, in order and undecoded, until each says no. It says
// whether the object was whole, with nothing after it; never so when each said no. Of an object that is cut it gives the
// members before the cut, and the last one too where that is itself an object or an array. It looks no deeper than it
// must to find where a value ends, and does not check values: a whole object may still be no JSON.
func Fields(data []byte, each func(name, value []byte) bool) (whole bool) {
	i := blanks(data, 0)
	if i == len(data) || data[i] != '{' {
		return false
	}
	for i++; ; {
		i = blanks(data, i)
		switch {
		case i == len(data):
			return false
		case data[i] == '}':
			return blanks(data, i+1) == len(data)
		case data[i] == ',':
			i++
			continue
		case data[i] != '"':
			return false
		}
		end, cut := valueEnd(data, i)
		if cut {
			return false
		}
		name := data[i+1 : end-1]
		if i = blanks(data, end); i == len(data) || data[i] != ':' {
			return false
		}
		if i = blanks(data, i+1); i == len(data) {
			return false
		}
		end, cut = valueEnd(data, i)
		if end == i || cut && data[i] != '{' && data[i] != '[' {
			return false
		}
		if !each(name, data[i:end]) || cut {
			return false
		}
		i = end
	}
}

// Items gives the elements of the array that data begins with, as Fields gives members.
func Items(data []byte, each func(value []byte) bool) {
	i := blanks(data, 0)
	if i == len(data) || data[i] != '[' {
		return
	}
	for i++; ; {
		i = blanks(data, i)
		if i < len(data) && data[i] == ',' {
			i++
			continue
		}
		if i == len(data) || data[i] == ']' {
			return
		}
		end, cut := valueEnd(data, i)
		if end == i || cut || !each(data[i:end]) {
			return
		}
		i = end
	}
}

func blanks(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r') {
		i++
	}
	return i
}

// valueEnd is where the value at i ends, and whether data ended before it did.
func valueEnd(data []byte, i int) (end int, cut bool) {
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case '{', '[':
		for depth := 0; i < len(data); i++ {
			switch data[i] {
			case '"':
				if end, cut = stringEnd(data, i); cut {
					return end, true
				}
				i = end - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1, false
				}
			}
		}
		return len(data), true
	}
	n := bytes.IndexAny(data[i:], ",}] \t\r\n")
	if n < 0 {
		return len(data), true
	}
	return i + n, false
}

// stringEnd is one past the closing quote of the string at i.
func stringEnd(data []byte, i int) (end int, cut bool) {
	for from := i + 1; ; {
		n := bytes.IndexByte(data[from:], '"')
		if n < 0 {
			return len(data), true
		}
		quote := from + n
		before := quote
		for before > from && data[before-1] == '\\' {
			before--
		}
		if (quote-before)%2 == 0 {
			return quote + 1, false
		}
		from = quote + 1
	}
}

// Text is the text of a JSON string, cut to at most limit bytes at the end of a character; "" for anything else.
func Text(value []byte, limit int) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	text := string(value[1 : len(value)-1])
	if bytes.IndexByte(value, '\\') >= 0 || !utf8.ValidString(text) {
		if json.Unmarshal(value, &text) != nil {
			return ""
		}
	}
	return Short(text, limit)
}

// Short is text cut to at most limit bytes at the end of a character.
func Short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Number is a JSON number that counts something; 0 for anything else.
func Number(value []byte) int64 {
	const most = 1 << 53 // of which every sum that anybody makes fits
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 || n > most {
		return 0
	}
	return n
}
