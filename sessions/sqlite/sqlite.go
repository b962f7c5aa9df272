// Package sqlite reads tables of a SQLite database that another program may be writing, and leaves no trace: it takes no
// lock, makes no file beside it and asks no program.
//
// SQLite's own way to read a database with a write-ahead log writes into a shared-memory file beside it, and with that
// switched off it passes over the log, in which an agent that runs has all that is new. Read takes the pages of the last
// commit, from the log or else from the database, and says afterwards whether anything was committed meanwhile; if so it
// starts anew.
//
// The file is foreign and may be anything: every number in it is checked before it is used, and nothing here fails
// because of what a row holds. What is read is written down in https://sqlite.org/fileformat2.html. Text is taken to be
// UTF-8; a WITHOUT ROWID or virtual table is not read.
package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sidefork/sidefork/sessions/jsonl"
)

// ErrDamaged is what a file is that breaks the format's rules, or one that this package does not know.
var ErrDamaged = errors.New("the database is damaged")

// ErrMoving is a database in which something was committed each time that it was read.
var ErrMoving = errors.New("the database kept changing while it was read")

// tries is how often a database that is being written is read before that is given up.
const tries = 5

// Read gives the database as it is at one moment to do, again where it has changed meanwhile: what do has gathered counts
// only when Read returns without an error. Fails with what do fails with, ErrDamaged, ErrMoving, or that the file cannot
// be opened.
func Read(ctx context.Context, path string, do func(*Database) error) error {
	for range tries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d, err := open(path)
		if err != nil {
			return err
		}
		err = do(d)
		stood := d.stoodStill()
		d.close()
		if stood {
			return err // where it moved, an error may come of that
		}
	}
	return ErrMoving
}

// Database is a database at one moment. It is good only while the function runs that it was given to.
type Database struct {
	file  *os.File
	log   *os.File // the write-ahead log; nil where there is none
	wal   wal
	first []byte // the database's first hundred bytes, where that is what says whether it changed

	page   int // bytes of a page
	usable int // of these, what is used
	pages  uint32
	tables map[string]schema
}

const headerSize = 100

func open(path string) (_ *Database, err error) {
	d := &Database{}
	defer func() {
		if err != nil {
			d.close()
		}
	}()
	var info os.FileInfo
	if d.file, info, err = jsonl.Open(path); err != nil {
		return nil, err
	}
	if d.log, _, err = jsonl.Open(path + "-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	header := make([]byte, headerSize)
	if n, err := d.file.ReadAt(header, 0); n < headerSize && d.log == nil {
		return nil, fmt.Errorf("%w: no header (%v)", ErrDamaged, err)
	}
	d.first = header
	if d.log != nil {
		if err := d.readLog(); err != nil {
			return nil, err
		}
		if first, in := d.wal.frames[1]; in { // the header that counts
			if header, err = d.logged(first, headerSize); err != nil {
				return nil, err
			}
		}
	}
	if !bytes.HasPrefix(header, []byte("SQLite format 3\x00")) || header[20] > 200 {
		return nil, fmt.Errorf("%w: it is no SQLite 3 database", ErrDamaged)
	}
	if encoding := binary.BigEndian.Uint32(header[56:]); encoding > 1 {
		return nil, fmt.Errorf("%w: its text is not UTF-8", ErrDamaged)
	}
	d.page = int(binary.BigEndian.Uint16(header[16:]))
	if d.page == 1 {
		d.page = 1 << 16
	}
	if d.page < 512 || d.page&(d.page-1) != 0 || d.log != nil && len(d.wal.frames) > 0 && d.wal.page != d.page {
		return nil, fmt.Errorf("%w: a page of %d bytes", ErrDamaged, d.page)
	}
	d.usable = d.page - int(header[20])
	there := uint32(min(info.Size()/int64(d.page), 1<<31))
	if d.pages = there; d.wal.pages > 0 {
		d.pages = min(d.wal.pages, there+uint32(len(d.wal.frames))) // whatever it says
	}
	return d, d.readSchema()
}

func (d *Database) close() {
	if d.file != nil {
		d.file.Close()
	}
	if d.log != nil {
		d.log.Close()
	}
}

// stoodStill says whether nothing was committed since it was opened: neither to the log nor, without one, to the file,
// whose first page counts the changes.
func (d *Database) stoodStill() bool {
	now := make([]byte, headerSize)
	if n, _ := d.file.ReadAt(now, 0); n < headerSize && len(d.wal.frames) == 0 {
		return false
	}
	// With a journal beside it the file itself is being written, or has to be mended first.
	if !empty(d.file.Name() + "-journal") {
		return false
	}
	if d.log == nil {
		return bytes.Equal(now, d.first) && empty(d.file.Name()+"-wal")
	}
	return d.logStoodStill()
}

func empty(path string) bool {
	info, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0
}

// pageAt gives a page, numbered from 1.
func (d *Database) pageAt(number uint32) ([]byte, error) {
	if number == 0 || number > d.pages {
		return nil, fmt.Errorf("%w: there is no page %d", ErrDamaged, number)
	}
	if frame, in := d.wal.frames[number]; in {
		return d.logged(frame, d.page)
	}
	data := make([]byte, d.page)
	if _, err := d.file.ReadAt(data, int64(number-1)*int64(d.page)); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%w: page %d is cut", ErrDamaged, number)
		}
		return nil, err
	}
	return data, nil
}
