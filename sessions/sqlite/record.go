package sqlite

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Kind is what a value is.
type Kind int

// The kinds of values.
const (
	Null Kind = iota
	Int
	Real
	Text
	Blob
)

// Value is one column of a row; the zero Value is NULL. Bytes are those of a Text, which may be no UTF-8, or a Blob.
type Value struct {
	Kind  Kind
	Int   int64
	Real  float64
	Bytes []byte
}

// String is a text; "" for anything else.
func (v Value) String() string {
	if v.Kind != Text {
		return ""
	}
	return string(v.Bytes)
}

// widest bounds one row, in bytes. A longer one is an error: nothing that is read here comes near.
const widest = 64 << 20

// record takes columns of a record, by their places; one that the record does not have is NULL, as for a column that was
// added later.
func record(payload []byte, columns []int) ([]Value, error) {
	size, n := varint(payload)
	if n == 0 || size < uint64(n) || size > uint64(len(payload)) {
		return nil, fmt.Errorf("%w: a record's header of %d bytes", ErrDamaged, size)
	}
	header, body := payload[n:size], payload[size:]
	values := make([]Value, len(columns))
	for place := 0; len(header) > 0; place++ {
		kind, n := varint(header)
		length := lengthOf(kind)
		if n == 0 || length > uint64(len(body)) {
			return nil, fmt.Errorf("%w: a record is shorter than it says", ErrDamaged)
		}
		for i, wanted := range columns {
			if wanted == place {
				values[i] = valueOf(kind, body[:length])
			}
		}
		header, body = header[n:], body[length:]
	}
	return values, nil
}

// lengthOf is how many bytes a value of a serial type has.
func lengthOf(kind uint64) uint64 {
	switch {
	case kind >= 12:
		return (kind - 12) / 2
	case kind == 5:
		return 6
	case kind == 6, kind == 7:
		return 8
	case kind <= 4:
		return kind
	}
	return 0
}

func valueOf(kind uint64, data []byte) Value {
	switch {
	case kind >= 12 && kind%2 == 1:
		return Value{Kind: Text, Bytes: data}
	case kind >= 12:
		return Value{Kind: Blob, Bytes: data}
	case kind == 7:
		return Value{Kind: Real, Real: math.Float64frombits(binary.BigEndian.Uint64(data))}
	case kind == 8, kind == 9:
		return Value{Kind: Int, Int: int64(kind - 8)}
	case 1 <= kind && kind <= 6:
		n := int64(int8(data[0]))
		for _, b := range data[1:] {
			n = n<<8 | int64(b)
		}
		return Value{Kind: Int, Int: n}
	}
	return Value{}
}

// varint reads a number of one to nine bytes; n is 0 where data ends before it does.
func varint(data []byte) (value uint64, n int) {
	for i := range min(len(data), 9) {
		if i == 8 {
			return value<<8 | uint64(data[8]), 9
		}
		value = value<<7 | uint64(data[i]&0x7f)
		if data[i] < 0x80 {
			return value, i + 1
		}
	}
	return 0, 0
}
