// Package frame reads and writes the frames of LSP: header lines with a Content-Length, and a body. Both ends of the wire
// use it: the server (package sidecar) and the client (package client).
package frame

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// MaxHeader are the bytes of all header lines of one frame, and of the buffer that Read needs.
	MaxHeader = 8 << 10
	maxBody   = 64 << 20 // bytes of one message
)

// Broken is a header from which the next frame cannot be found.
type Broken string

func (b Broken) Error() string { return string(b) }

// NewReader gives in the buffer that Read needs.
func NewReader(in io.Reader) *bufio.Reader { return bufio.NewReaderSize(in, MaxHeader) }

// Read reads one frame's body. io.EOF means that the input ended between two frames; a Broken that the input cannot be read
// any further. Memory grows with what arrives, not with what the header claims. in comes from NewReader.
func Read(in *bufio.Reader) ([]byte, error) {
	length, left := -1, MaxHeader
	for {
		line, err := in.ReadSlice('\n')
		left -= len(line)
		switch {
		case errors.Is(err, bufio.ErrBufferFull), left < 0:
			return nil, Broken("the header is too long")
		case errors.Is(err, io.EOF) && (len(line) > 0 || left < MaxHeader):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, Broken("a header line has no colon")
		}
		if !strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
		if err != nil || n > maxBody || length >= 0 && int(n) != length {
			return nil, Broken(fmt.Sprintf("Content-Length is not one number up to %d", maxBody))
		}
		length = int(n)
	}
	if length < 0 {
		return nil, Broken("the header has no Content-Length")
	}
	var body []byte
	for len(body) < length {
		begin := len(body)
		body = append(body, make([]byte, min(length-begin, max(begin, 64<<10)))...)
		if _, err := io.ReadFull(in, body[begin:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return body, nil
}

// Write writes one frame, header and body in one write.
func Write(out io.Writer, body []byte) (n int, err error) {
	frame := make([]byte, 0, len(body)+32)
	frame = fmt.Appendf(frame, "Content-Length: %d\r\n\r\n", len(body))
	return out.Write(append(frame, body...))
}
