#!/usr/bin/env python3
"""Makes the databases of sqlite_test.go, with the real SQLite: python3 make.py, in this folder."""
import os, shutil, sqlite3

SCHEMA = """
CREATE TABLE `note` (`id` text PRIMARY KEY, `owner` text NOT NULL, "n" integer, [r] real, b blob, body text, CONSTRAINT c UNIQUE (`id`));
CREATE INDEX `note_n` ON `note` (`n`);
CREATE INDEX `note_owner_some` ON `note` (`owner`) WHERE n > 5;
CREATE INDEX `note_owner_n` ON `note` (`owner`,`n`);
CREATE TABLE empty (x text);
"""

def row(i):
    body = None if i % 5 == 0 else "body %d " % i * (i % 7 * (300 if i % 11 == 0 else 3))
    return ("id%04d" % i, "owner%d" % (i % 3), (i - 100) * 10 ** (i % 13), i / 4, bytes(range(i % 20)), body)

def add(db, numbers):
    db.executemany("INSERT INTO note VALUES (?,?,?,?,?,?)", [row(i) for i in numbers])
    db.commit()

for name in os.listdir("."):
    if ".db" in name:
        os.remove(name)
db = sqlite3.connect("plain.db")
db.execute("PRAGMA page_size=512")
db.executescript(SCHEMA)
add(db, range(200))
db.execute("ALTER TABLE note ADD COLUMN late text")
db.commit()
db.close()

# The same with half of it in a write-ahead log, and what a crash leaves behind the last commit.
db = sqlite3.connect("work.db")
db.execute("PRAGMA page_size=512")
db.executescript(SCHEMA)
add(db, range(100))
db.execute("PRAGMA journal_mode=WAL")
db.execute("PRAGMA wal_autocheckpoint=0")
add(db, range(100, 200))
db.execute("ALTER TABLE note ADD COLUMN late text")
db.commit()
db.execute("DELETE FROM note WHERE id = 'id0007'")
db.execute("INSERT INTO note VALUES ('id0007','owner1',?,?,?,?,NULL)", row(7)[2:])
db.commit()
for end in ("", "-wal"):
    shutil.copy("work.db" + end, "logged.db" + end)
with open("logged.db-wal", "ab") as log:
    log.write(b"\x00\x00\x00\x01" * 100)
db.close()
for name in os.listdir("."):
    if name.startswith("work.db"):
        os.remove(name)
