package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The kinds of pages of a tree.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// deepest is how many pages lie above each other; four billion pages need fewer.
const deepest = 24

// node is a page of a tree.
type node struct {
	kind  byte
	data  []byte
	cells []byte // two bytes for each: where it lies
	right uint32 // the last child of an inner page
}

func (d *Database) node(number uint32) (n node, err error) {
	if n.data, err = d.pageAt(number); err != nil {
		return n, err
	}
	head := n.data
	if number == 1 {
		head = head[headerSize:]
	}
	size := 8
	n.kind = head[0]
	switch n.kind {
	case indexInner, tableInner:
		n.right, size = binary.BigEndian.Uint32(head[8:]), 12
	case indexLeaf, tableLeaf:
	default:
		return n, fmt.Errorf("%w: page %d is none of a tree", ErrDamaged, number)
	}
	count := int(binary.BigEndian.Uint16(head[3:]))
	if size+2*count > len(head) {
		return n, fmt.Errorf("%w: page %d has %d cells", ErrDamaged, number, count)
	}
	n.cells = head[size : size+2*count]
	return n, nil
}

func (n node) count() int { return len(n.cells) / 2 }

// cell gives a cell's bytes, with whatever lies behind it.
func (n node) cell(i int) ([]byte, error) {
	at := int(binary.BigEndian.Uint16(n.cells[2*i:]))
	if at < 8 || at+4 > len(n.data) {
		return nil, fmt.Errorf("%w: a cell lies at %d", ErrDamaged, at)
	}
	return n.data[at:], nil
}

// payload gives the whole of a payload of size bytes that begins in a cell and may go on in pages of its own.
func (d *Database) payload(cell []byte, size uint64, table bool) ([]byte, error) {
	if size > widest {
		return nil, fmt.Errorf("%w: a row of %d bytes", ErrDamaged, size)
	}
	u := d.usable
	most := (u-12)*64/255 - 23
	if table {
		most = u - 35
	}
	local := int(size)
	if local > most {
		least := (u-12)*32/255 - 23
		if local = least + (int(size)-least)%(u-4); local > most {
			local = least
		}
	}
	more := local < int(size)
	if local > len(cell) || more && local+4 > len(cell) {
		return nil, fmt.Errorf("%w: a cell is cut", ErrDamaged)
	}
	if !more {
		return cell[:local], nil
	}
	whole := append(make([]byte, 0, size), cell[:local]...)
	for next := binary.BigEndian.Uint32(cell[local:]); len(whole) < int(size); {
		page, err := d.pageAt(next)
		if err != nil {
			return nil, err
		}
		whole = append(whole, page[4:4+min(u-4, int(size)-len(whole))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return whole, nil
}

// errEnough ends a walk that has what it wanted.
var errEnough = errors.New("enough")

// rows walks a table's tree and gives each row's payload, in the order of their numbers. A damaged page is passed over
// and told at the end.
func (d *Database) rows(number uint32, left *int, depth int, each func(payload []byte) bool) error {
	if *left--; *left < 0 || depth > deepest {
		return fmt.Errorf("%w: a tree with a circle", ErrDamaged)
	}
	n, err := d.node(number)
	if err != nil {
		return err
	}
	if n.kind != tableLeaf && n.kind != tableInner {
		return fmt.Errorf("%w: page %d is none of a table", ErrDamaged, number)
	}
	var damage []error
	for i := range n.count() {
		cell, err := n.cell(i)
		switch {
		case err != nil:
		case n.kind == tableInner:
			err = d.rows(binary.BigEndian.Uint32(cell), left, depth+1, each)
		default:
			var payload []byte
			if payload, err = d.rowOf(cell); err == nil && !each(payload) {
				return errEnough
			}
		}
		if errors.Is(err, errEnough) {
			return err
		}
		damage = append(damage, err)
	}
	if n.kind == tableInner {
		err := d.rows(n.right, left, depth+1, each)
		if errors.Is(err, errEnough) {
			return err
		}
		damage = append(damage, err)
	}
	return errors.Join(damage...)
}

// rowOf is the payload of a cell of a table's leaf.
func (d *Database) rowOf(cell []byte) ([]byte, error) {
	size, n := varint(cell)
	_, m := varint(cell[n:])
	if n == 0 || m == 0 {
		return nil, fmt.Errorf("%w: a cell is cut", ErrDamaged)
	}
	return d.payload(cell[n+m:], size, true)
}

// row finds the row of a number.
func (d *Database) row(number uint32, id int64) ([]byte, error) {
	for range deepest {
		n, err := d.node(number)
		if err != nil {
			return nil, err
		}
		if n.kind == tableLeaf {
			return d.rowIn(n, id)
		}
		if n.kind != tableInner {
			break
		}
		next := n.right
		for i := range n.count() {
			cell, err := n.cell(i)
			if err != nil {
				return nil, err
			}
			if key, _ := varint(cell[4:]); id <= int64(key) {
				next = binary.BigEndian.Uint32(cell)
				break
			}
		}
		number = next
	}
	return nil, fmt.Errorf("%w: page %d is none of a table", ErrDamaged, number)
}

func (d *Database) rowIn(leaf node, id int64) ([]byte, error) {
	for i := range leaf.count() {
		cell, err := leaf.cell(i)
		if err != nil {
			return nil, err
		}
		_, n := varint(cell)
		if key, _ := varint(cell[n:]); int64(key) == id {
			return d.rowOf(cell)
		}
	}
	return nil, fmt.Errorf("%w: an index names the row %d, which is not there", ErrDamaged, id)
}

// entries walks an index's tree and gives the record of each entry whose first column is the text wanted, in the index's
// order.
func (d *Database) entries(number uint32, wanted string, left *int, depth int, each func(payload []byte) error) error {
	if *left--; *left < 0 || depth > deepest {
		return fmt.Errorf("%w: a tree with a circle", ErrDamaged)
	}
	n, err := d.node(number)
	if err != nil {
		return err
	}
	if n.kind != indexLeaf && n.kind != indexInner {
		return fmt.Errorf("%w: page %d is none of an index", ErrDamaged, number)
	}
	for i := range n.count() {
		cell, err := n.cell(i)
		if err != nil {
			return err
		}
		var child uint32
		if n.kind == indexInner {
			child, cell = binary.BigEndian.Uint32(cell), cell[4:]
		}
		size, m := varint(cell)
		if m == 0 {
			return fmt.Errorf("%w: a cell is cut", ErrDamaged)
		}
		payload, err := d.payload(cell[m:], size, false)
		if err != nil {
			return err
		}
		key, err := record(payload, []int{0})
		if err != nil {
			return err
		}
		order := compare(key[0], wanted)
		if child != 0 && order >= 0 {
			if err := d.entries(child, wanted, left, depth+1, each); err != nil {
				return err
			}
		}
		if order == 0 {
			if err := each(payload); err != nil {
				return err
			}
		}
		if order > 0 {
			return nil
		}
	}
	if n.kind == indexInner {
		return d.entries(n.right, wanted, left, depth+1, each)
	}
	return nil
}

// compare orders a value and a text as an index does: nothing and numbers before texts, other bytes behind them.
func compare(v Value, text string) int {
	switch v.Kind {
	case Text:
		switch s := string(v.Bytes); {
		case s < text:
			return -1
		case s > text:
			return 1
		}
		return 0
	case Blob:
		return 1
	}
	return -1
}
