package checkpoint

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"

	"fabricast/internal/input"
)

// JournalName is the name of the journal, next to the checkpoint, of a run whose programs have
// stacks of their own. All checkpoints of the run share the journal; each refers to its first Bytes
// bytes.
const JournalName = "checkpoint.journal"

// RecordedName is the name of a file in the same format with the recorded trace of a run. Each job
// has a stream in it.
const RecordedName = "checkpoint.trace"

// JournalMark is the prefix of a journal that a checkpoint refers to.
type JournalMark struct {
	ID    string `json:"id"`    // ID of the journal; "" if there is none
	Bytes int64  `json:"bytes"` // length of the prefix
}

const (
	journalMagic = "fabricast journal\n"
	// journalHead is the length of the data before the first chunk: magic string, version and ID.
	journalHead    = len(journalMagic) + 4 + journalID
	journalID      = 16
	journalVersion = 2
	// chunkHead is the length of a chunk's header: length, stream and checksum.
	chunkHead = 12
)

// Journal is a journal opened for writing. Several streams share it. Its methods may be called
// concurrently.
type Journal struct {
	mutex sync.Mutex
	file  *os.File
	path  string
	mark  JournalMark
	err   error
}

// CreateJournal creates a journal at the given path.
func CreateJournal(path string) (*Journal, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	id := make([]byte, journalID)
	_, _ = rand.Read(id) // never fails
	head := binary.LittleEndian.AppendUint32([]byte(journalMagic), journalVersion)
	_, err = file.Write(append(head, id...))
	return &Journal{
		file: file, path: path, mark: JournalMark{hex.EncodeToString(id), int64(journalHead)}, err: err,
	}, nil
}

// ContinueJournal opens the journal next to a checkpoint for appending, and truncates it to the
// part that precedes the checkpoint.
func ContinueJournal(path string, mark JournalMark) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	err = file.Truncate(mark.Bytes)
	if err == nil {
		_, err = file.Seek(mark.Bytes, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &Journal{file: file, path: path, mark: mark}, nil
}

// Write appends records of a stream.
func (j *Journal) Write(stream int, records []byte) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for len(records) > 0 && j.err == nil {
		n := min(len(records), mostChunk)
		var head [chunkHead]byte
		binary.LittleEndian.PutUint32(head[:], uint32(n))
		binary.LittleEndian.PutUint32(head[4:], uint32(stream))
		sum := crc32.Update(crc32.Checksum(head[:8], table), table, records[:n])
		binary.LittleEndian.PutUint32(head[8:], sum)
		if _, j.err = j.file.Write(head[:]); j.err == nil {
			_, j.err = j.file.Write(records[:n])
		}
		j.mark.Bytes += int64(chunkHead + n)
		records = records[n:]
	}
}

// Mark flushes all records to the disk and returns the current length of the journal. folder is the
// folder of the checkpoint.
func (j *Journal) Mark(folder string) (JournalMark, error) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if to := filepath.Join(folder, filepath.Base(j.path)); j.err == nil && j.path != to {
		if err := os.Rename(j.path, to); err != nil {
			return j.mark, err
		}
		j.path = to
	}
	if j.err == nil {
		j.err = j.file.Sync()
	}
	return j.mark, j.err
}

// Close closes the file. j may be nil.
func (j *Journal) Close() {
	if j != nil {
		_ = j.file.Close()
	}
}

// JournalFile is a journal opened for reading, up to a checkpoint. The user must call Close.
type JournalFile struct {
	path   string
	file   *os.File
	chunks map[int][]journalChunk // by stream
}

// journalChunk is the location of a chunk in the file.
type journalChunk struct {
	at  int64
	len int
}

// OpenJournal opens the journal that the checkpoint needs.
func (f *File) OpenJournal() (*JournalFile, error) { return f.openBeside(JournalName, f.Journal) }

// OpenRecorded opens the file with the recorded trace.
func (f *File) OpenRecorded() (*JournalFile, error) { return f.openBeside(RecordedName, f.Recorded) }

// openBeside opens a journal in the folder of the checkpoint.
func (f *File) openBeside(name string, mark JournalMark) (*JournalFile, error) {
	path := filepath.Join(filepath.Dir(f.path), name)
	if filepath.Base(filepath.Dir(f.path)) == KeptFolder {
		path = filepath.Join(filepath.Dir(filepath.Dir(f.path)), name)
	}
	file, _, err := input.Open(path, input.Checkpoint)
	if err != nil {
		return nil, err
	}
	j := &JournalFile{path: path, file: file, chunks: map[int][]journalChunk{}}
	if err := j.index(mark); err != nil {
		j.Close()
		return nil, err
	}
	return j, nil
}

// Close closes the file.
func (j *JournalFile) Close() { _ = j.file.Close() }

// Path returns the file's path.
func (j *JournalFile) Path() string { return j.path }

func (j *JournalFile) refuse(found, expected string) error {
	return &Error{Path: j.path, Found: found, Expected: expected}
}

// index finds the chunks of each stream.
func (j *JournalFile) index(mark JournalMark) error {
	const expected = "the journal that the checkpoint beside it needs"
	head := make([]byte, journalHead)
	_, err := io.ReadFull(j.file, head)
	switch {
	case err != nil || string(head[:len(journalMagic)]) != journalMagic:
		return j.refuse("something else, or only its beginning", expected)
	case binary.LittleEndian.Uint32(head[len(journalMagic):]) != journalVersion:
		return j.refuse("a journal of another format", expected)
	case hex.EncodeToString(head[journalHead-journalID:]) != mark.ID:
		return j.refuse("the journal of another run", expected)
	}
	at := int64(journalHead)
	for at < mark.Bytes {
		var head [chunkHead]byte
		if _, err := j.file.ReadAt(head[:], at); err != nil {
			return j.refuse("only the beginning of a journal", expected)
		}
		n, stream := int64(binary.LittleEndian.Uint32(head[:])), int(binary.LittleEndian.Uint32(head[4:]))
		if n > mostChunk || at+chunkHead+n > mark.Bytes {
			return j.refuse("damage (a length that cannot be)", expected)
		}
		j.chunks[stream] = append(j.chunks[stream], journalChunk{at, int(n)})
		at += chunkHead + n
	}
	return nil
}

// Stream returns a function that returns the records of a stream, piece by piece, then io.EOF.
func (j *JournalFile) Stream(stream int) func() ([]byte, error) {
	next := 0
	return func() ([]byte, error) {
		list := j.chunks[stream]
		if next == len(list) {
			return nil, io.EOF
		}
		c := list[next]
		next++
		data := make([]byte, chunkHead+c.len)
		if _, err := j.file.ReadAt(data, c.at); err != nil {
			if errors.Is(err, io.EOF) {
				return nil, j.refuse("only the beginning of a journal", "all that the checkpoint needs")
			}
			return nil, fmt.Errorf("%s: %w", j.path, err)
		}
		sum := crc32.Update(crc32.Checksum(data[:8], table), table, data[chunkHead:])
		if sum != binary.LittleEndian.Uint32(data[8:]) {
			return nil, j.refuse("damage (a checksum differs)", "the journal as the run has written it")
		}
		return data[chunkHead:], nil
	}
}
