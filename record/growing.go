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

// growing is a file that a run writes sequentially. It is stored next to the checkpoints of the
// run, and each checkpoint records the size that the file had. When the run is resumed from a
// checkpoint, the file is truncated to that size.
type growing struct {
	file *os.File
	path string
	kept string // the path beside checkpoints
	size int64
	sum  uint32 // CRC-32C of all that was written
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// newGrowing begins a file in a folder for the present. Its name beside the checkpoints of the run of
// f is the same.
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

// state goes over how far the file has got. To save that, it is moved beside the checkpoints.
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

// keep moves the file beside the checkpoints, and makes sure that it is on the disk.
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

// goOn takes the file beside the checkpoint in the place of the one that has begun, if it is what it
// was up to its size then.
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
	_ = file.Close() // it was only read
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

// finish closes the file, which becomes the one at a path, too. Beside the checkpoint it stays until
// the result is whole.
func (g *growing) finish(path string) error {
	err := g.file.Close()
	if g.path == path || err != nil {
		return err
	}
	return linkOrMove(g.path, path)
}

// close closes the file, and removes it unless a checkpoint needs it.
func (g *growing) close() {
	_ = g.file.Close()
	if g.path != g.kept {
		_ = os.Remove(g.path)
	}
}

// linkOrMove gives a file a second name, or another one where files cannot have two.
func linkOrMove(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return os.Rename(from, to)
}
