package record

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"fabricast/internal/checkpoint"
	"fabricast/internal/input"
	"fabricast/internal/snapshot"
)

// growing is a file that a run writes sequentially. The first checkpoint of the run moves it next
// to the checkpoints, and each checkpoint stores the current size of the file. When the run is
// resumed from a checkpoint, the file is truncated to that size.
type growing struct {
	file *os.File
	path string
	kept string // path of the file next to the checkpoints
	size int64
	sum  uint32 // CRC-32C of the file
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newGrowing creates a growing file in the given folder. It keeps its name when it is moved next to
// the checkpoints of the run.
func (f *Folder) newGrowing(folder, name string) (*growing, error) {
	path := filepath.Join(folder, name)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, err
	}
	return &growing{file: file, path: path, kept: filepath.Join(f.path, checkpoint.TablesFolder, name)}, nil
}

// Write implements io.Writer.
func (g *growing) Write(b []byte) (int, error) {
	n, err := g.file.Write(b)
	g.size += int64(n)
	g.sum = crc32.Update(g.sum, castagnoli, b[:n])
	return n, err
}

// state saves or restores the size and checksum of the file. Saving moves the file next to the
// checkpoints.
func (g *growing) state(v *snapshot.Visitor) {
	if !v.Restores() {
		if err := g.keep(); err != nil {
			v.Fail(err)
		}
	}
	snapshot.Value(v, &g.size)
	snapshot.Value(v, &g.sum)
	if v.Restores() && v.Err() == nil {
		if err := g.goOn(); err != nil {
			v.Fail(err)
		}
	}
}

// keep moves the file next to the checkpoints, and flushes it to disk.
func (g *growing) keep() error {
	if g.path == g.kept {
		return g.file.Sync()
	}
	err := os.MkdirAll(filepath.Dir(g.kept), 0o777)
	if err == nil {
		err = os.Rename(g.path, g.kept)
	}
	if err != nil {
		return err
	}
	g.path = g.kept
	return g.file.Sync()
}

// goOn replaces the newly created file by the one next to the checkpoint, truncated to the saved
// size. It returns a *checkpoint.Error if that file is shorter or has a different checksum.
func (g *growing) goOn() error {
	refuse := func(found string) error {
		return &checkpoint.Error{
			Path: g.kept, Found: found,
			Expected: fmt.Sprintf("the first %d bytes as the run has written them", g.size),
		}
	}
	file, _, err := input.Open(g.kept, input.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return refuse("no such file")
	}
	if err != nil {
		return err
	}
	hash := crc32.New(castagnoli)
	n, err := io.Copy(hash, io.LimitReader(file, g.size))
	_ = file.Close() // the file was only read
	switch {
	case err != nil:
		return err
	case n < g.size:
		return refuse(fmt.Sprintf("%d bytes", n))
	case hash.Sum32() != g.sum:
		return refuse("damage (a checksum differs)")
	}
	g.close()
	if g.file, err = os.OpenFile(g.kept, os.O_RDWR, 0); err != nil {
		return err
	}
	g.path = g.kept
	if err := g.file.Truncate(g.size); err != nil {
		return err
	}
	_, err = g.file.Seek(g.size, io.SeekStart)
	return err
}

// finish closes the file and makes it available at path. If possible, it is a link, because the
// checkpoint needs the file until the result is complete.
func (g *growing) finish(path string) error {
	err := g.file.Close()
	if g.path == path || err != nil {
		return err
	}
	return linkOrMove(g.path, path)
}

// close closes the file, and removes it unless it is next to a checkpoint.
func (g *growing) close() {
	_ = g.file.Close()
	if g.path != g.kept {
		_ = os.Remove(g.path)
	}
}

// linkOrMove creates a hard link to the file from at path to. If the file system does not support
// links, it moves the file.
func linkOrMove(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return os.Rename(from, to)
}
