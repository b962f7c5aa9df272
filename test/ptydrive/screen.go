//go:build unix

package ptydrive

import "bytes"

// screen takes control sequences out of what a program writes. Its zero value is an empty screen.
type screen struct {
	text     []byte // what was shown, without blanks
	state    state
	sequence []byte // the control sequence so far, without its ESC
}

type state int

const (
	plain state = iota
	escape
	csi   // ESC [ … final byte
	str   // ESC ] and its like: until BEL or ESC \
	strST // the ESC in a str
	charset
)

// maxSequence bounds what is kept of one sequence (a title, a picture).
const maxSequence = 4 << 10

// write takes in what a program wrote and gives what the terminal has to answer.
func (s *screen) write(data []byte) (answers []string) {
	for _, b := range data {
		switch s.state {
		case plain:
			switch {
			case b == 0x1b:
				s.state, s.sequence = escape, s.sequence[:0]
			case b > ' ' && b != 0x7f:
				s.text = append(s.text, b)
			}
			continue
		case escape:
			switch b {
			case '[':
				s.state = csi
			case ']', 'P', '_', '^', 'X':
				s.state = str
			case '(', ')', '*', '+', '#', '%', ' ':
				s.state = charset
			default:
				s.state = plain
			}
		case charset:
			s.state = plain
		case csi:
			if b >= 0x40 && b <= 0x7e {
				s.state = plain
			}
		case str:
			switch b {
			case 0x07:
				s.state = plain
			case 0x1b:
				s.state = strST
			}
		case strST:
			s.state = plain
		}
		if len(s.sequence) < maxSequence {
			s.sequence = append(s.sequence, b)
		}
		if s.state == plain {
			if a := answerTo(s.sequence); a != "" {
				answers = append(answers, a)
			}
		}
	}
	return answers
}

// answerTo is what a plain terminal of 24-bit colour says to the questions that programs wait on.
func answerTo(sequence []byte) string {
	switch {
	case bytes.Equal(sequence, []byte("[6n")): // where is the cursor?
		return "\x1b[1;1R"
	case bytes.Equal(sequence, []byte("[5n")): // are you well?
		return "\x1b[0n"
	case bytes.Equal(sequence, []byte("[c")), bytes.Equal(sequence, []byte("[0c")): // what are you?
		return "\x1b[?62;c"
	case bytes.HasPrefix(sequence, []byte("]10;?")): // which colour do you write in?
		return "\x1b]10;rgb:ffff/ffff/ffff\x1b\\"
	case bytes.HasPrefix(sequence, []byte("]11;?")): // and on?
		return "\x1b]11;rgb:0000/0000/0000\x1b\\"
	}
	return ""
}
