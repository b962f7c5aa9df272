// Package jsonl reads the heads and tails of files that hold one JSON object a line: the transcripts of coding agents.
//
// Such files are foreign and may be anything: cut at any byte, padded with NULs, not UTF-8, one line of megabytes, half a
// terabyte of hole. Nothing here reads more than it was told to, keeps more than a line in memory, or fails because of
// what a line holds; a reader takes what is whole and leaves the rest.
//
// Lines gives the lines from the start, Tail the last bytes; Fields and Text take a line apart without decoding all of it.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	// Window is how much is read at once, in bytes. A line up to that length is given as it stands.
	Window = 64 << 10
	// longest is how many bytes of each string of a longer line are kept: a pasted picture goes, paths and words stay.
	longest = 8 << 10
	// widest bounds what is kept of one line; a line of which more remains is skipped.
	widest = 1 << 20
)

// Lines gives the lines of r that are not blank, each with the count of bytes up to its end, until each says no, r ends
// or limit bytes were read. A line that the
// limit cuts is not given; one that the end of r cuts is. A line longer than Window is given with its long strings cut
// short, still as valid as it was. The bytes are only good until each returns.
func Lines(r io.Reader, limit int64, each func(line []byte, end int64) bool) error {
	left := &io.LimitedReader{R: r, N: limit}
	in := bufio.NewReaderSize(left, Window)
	var long squeezer
	var end int64
	for {
		part, err := in.ReadSlice('\n')
		end += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			long.add(part)
			continue
		}
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		if ended && left.N == 0 {
			return nil
		}
		if long.used {
			long.add(part)
			part = long.line
		}
		if line := trim(part); len(line) > 0 && !each(line, end) {
			return nil
		}
		if ended {
			return nil
		}
		long = squeezer{line: long.line[:0]}
	}
}

// trim takes the blanks off a line, and the NULs that a crash leaves before what was appended after it.
func trim(line []byte) []byte {
	return bytes.TrimRight(bytes.TrimLeft(line, "\x00 \t\r"), "\x00 \t\r\n")
}

// squeezer keeps a long line with each of its strings cut to longest.
type squeezer struct {
	line   []byte
	used   bool
	full   bool // more than widest remained: nothing is kept
	quoted bool
	keep   bool
	escape int // bytes of an escape sequence still to come; fresh right after a backslash
	length int // bytes of the string so far
}

const fresh = 5

func (s *squeezer) add(part []byte) {
	s.used = true
	for i := 0; i < len(part) && !s.full; i++ {
		if s.quoted && s.escape == 0 && !s.keep { // of what is dropped, only the end matters
			for i < len(part) && part[i] != '"' {
				if part[i] == '\\' {
					i++ // what is escaped ends nothing
				}
				i++
			}
			if i > len(part) {
				s.escape = fresh
			}
			if i >= len(part) {
				return
			}
		}
		c := part[i]
		if !s.quoted {
			s.quoted, s.keep, s.length = c == '"', true, 0
			s.put(c)
			continue
		}
		if s.escape == 0 && c == '"' {
			s.quoted = false
			s.put(c)
			continue
		}
		// Whether to keep is settled where a character begins, so that none is cut in two.
		if s.escape == 0 && c&0xC0 != 0x80 {
			s.keep = s.length < longest
		}
		switch {
		case s.escape == fresh && c == 'u':
			s.escape = 4
		case s.escape == fresh:
			s.escape = 0
		case s.escape > 0:
			s.escape--
		case c == '\\':
			s.escape = fresh
		}
		s.length++
		if s.keep {
			s.put(c)
		}
	}
}

func (s *squeezer) put(c byte) {
	if s.line = append(s.line, c); len(s.line) > widest {
		s.full, s.line = true, s.line[:0]
	}
}

// Tail gives the last limit bytes of a file of size bytes, and whether that is all of it.
func Tail(r io.ReaderAt, size, limit int64) (data []byte, whole bool, err error) {
	start := max(size-limit, 0)
	data = make([]byte, size-start)
	n, err := r.ReadAt(data, start)
	if errors.Is(err, io.EOF) {
		err = nil // it was shortened meanwhile
	}
	return data[:n], start == 0, err
}

// TailLines gives the lines of a tail that are not blank, in order, without the one that its start cuts. What is cut is
// given back: all of data where no line begins in it.
func TailLines(data []byte, whole bool, each func(line []byte)) (cut []byte) {
	if !whole {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			return data
		}
		cut, data = data[:end], data[end:]
	}
	for line := range bytes.Lines(data) {
		if line = trim(line); len(line) > 0 {
			each(line)
		}
	}
	return cut
}
