package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// wal is what a write-ahead log has of committed pages.
type wal struct {
	header []byte           // as it was: another one begins a new log over the old
	page   int              // bytes of a page
	frames map[uint32]int64 // where the newest committed content of a page lies, by page
	pages  uint32           // pages of the database after the last commit; 0: there is none
	end    int64            // behind the last commit
	sum    [2]uint32        // the checksum there
}

const (
	walHeader   = 32
	frameHeader = 24
)

// readLog finds the committed pages. A frame counts while it carries the log's salts and the running checksum is right:
// what lies behind is left of an older log, or being written.
func (d *Database) readLog() error {
	header := make([]byte, walHeader)
	if _, err := d.log.ReadAt(header, 0); err != nil {
		if errors.Is(err, io.EOF) {
			d.wal.header = []byte{} // an empty log
			return nil
		}
		return err
	}
	w := &d.wal
	w.header, w.frames = header, map[uint32]int64{}
	order, ok := byteOrder(header)
	page := binary.BigEndian.Uint32(header[8:])
	w.page = int(page)
	sum := checksum(order, [2]uint32{}, header[:24])
	if !ok || page < 512 || page > 1<<16 || page&(page-1) != 0 || !sameSum(sum, header[24:]) {
		w.page = 0
		return nil // SQLite too takes it for empty
	}
	w.end, w.sum = walHeader, sum
	return d.follow(func(number, pages uint32, pending map[uint32]int64) {
		if pages == 0 {
			return
		}
		for number, at := range pending {
			w.frames[number] = at
		}
		w.pages = pages
		clear(pending)
	})
}

// follow goes on from the last commit, telling each sound frame: its page, how many pages the database has if it is a
// commit (else 0), and where the pages of its transaction lie. It moves the end at each commit.
func (d *Database) follow(frame func(number, pages uint32, pending map[uint32]int64)) error {
	w := &d.wal
	order, _ := byteOrder(w.header)
	pending := map[uint32]int64{}
	sum := w.sum
	// One buffer of many frames at a time: a log has thousands.
	size := frameHeader + w.page
	const many = 64
	buffer := make([]byte, many*size)
	for at := w.end; ; {
		n, err := d.log.ReadAt(buffer, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		whole := n / size
		for i := range whole {
			f := buffer[i*size : (i+1)*size]
			if !bytes.Equal(f[8:16], w.header[16:24]) {
				return nil
			}
			sum = checksum(order, sum, f[:8])
			sum = checksum(order, sum, f[frameHeader:])
			number, pages := binary.BigEndian.Uint32(f), binary.BigEndian.Uint32(f[4:])
			if !sameSum(sum, f[16:]) || number == 0 {
				return nil
			}
			pending[number] = at + frameHeader
			at += int64(size)
			frame(number, pages, pending)
			if pages > 0 {
				w.end, w.sum = at, sum
			}
		}
		if whole < many {
			return nil
		}
	}
}

// logged gives the first n bytes of a page in the log.
func (d *Database) logged(at int64, n int) ([]byte, error) {
	data := make([]byte, n)
	if _, err := d.log.ReadAt(data, at); err != nil {
		return nil, fmt.Errorf("%w: its log was shortened", ErrDamaged)
	}
	return data, nil
}

// logStoodStill says whether the log has no newer commit and was not begun anew, so that no page that was read, from
// wherever, is of another moment: only what a newer commit wrote is copied from the log into the database.
func (d *Database) logStoodStill() bool {
	header := make([]byte, walHeader)
	n, err := d.log.ReadAt(header, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	if d.wal.page == 0 { // it was empty
		return bytes.Equal(header[:n], d.wal.header)
	}
	newer := false
	err = d.follow(func(_, pages uint32, _ map[uint32]int64) { newer = newer || pages > 0 })
	return err == nil && !newer && bytes.Equal(header[:n], d.wal.header)
}

// byteOrder is the one of a log's checksums.
func byteOrder(header []byte) (binary.ByteOrder, bool) {
	switch binary.BigEndian.Uint32(header) {
	case 0x377f0682:
		return binary.LittleEndian, true
	case 0x377f0683:
		return binary.BigEndian, true
	}
	return binary.BigEndian, false
}

// checksum goes on with a checksum over data, whose length is a multiple of 8.
func checksum(order binary.ByteOrder, sum [2]uint32, data []byte) [2]uint32 {
	for i := 0; i+8 <= len(data); i += 8 {
		sum[0] += order.Uint32(data[i:]) + sum[1]
		sum[1] += order.Uint32(data[i+4:]) + sum[0]
	}
	return sum
}

func sameSum(sum [2]uint32, stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == sum[0] && binary.BigEndian.Uint32(stored[4:]) == sum[1]
}
