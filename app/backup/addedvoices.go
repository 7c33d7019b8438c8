package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vaak/app/deployment"
	"vaak/engine/onnx/collection"
)

// voicesPrefix begins the names of the members that are files of added voices. Behind it is a folder
// for each model.
const voicesPrefix = filesPrefix + deployment.Voices + "/"

// sha256Hex is what the folder of a model is called.
var sha256Hex = regexp.MustCompile(`^[0-9a-f]{64}$`)

// modelFolder returns the folder, named by the digest of a model, in which a member of an archive is
// a file of added voices. It is false for other members.
func modelFolder(member string) (digest string, ok bool) {
	name, ok := strings.CutPrefix(member, voicesPrefix)
	digest, inside, _ := strings.Cut(name, "/")
	return digest, ok && sha256Hex.MatchString(digest) && inside != ""
}

// modelDigest returns the SHA-256, in hex, that a member has in its name as the model of added
// voices. It is false for other members.
func modelDigest(member string) (string, bool) {
	digest, ok := modelFolder(member)
	m := collection.Model{Dir: voicesPrefix + digest}
	return digest, ok && member == filepath.ToSlash(m.ModelPath())
}

// voicesName returns the path of the directory of added voices below the data directory; "" if it
// is elsewhere.
func (c Source) voicesName() string {
	rel, err := filepath.Rel(c.Place.DataDir, c.Voices)
	if c.Voices == "" || err != nil || !filepath.IsLocal(rel) || rel == "." {
		return ""
	}
	return rel
}

// addVoices adds the files of added voices.
func (c Source) addVoices(ctx context.Context, a *archiver) error {
	if c.Voices == "" || c.WithoutVoices {
		return nil
	}
	models, err := collection.In(c.Voices).List()
	if err != nil {
		if err := c.lost("a model of added voices", err); err != nil {
			return err
		}
	}
	for _, m := range models {
		if err := c.addModel(ctx, a, m); err != nil {
			return err
		}
	}
	return nil
}

// mostTries is how often the files of a model are opened that is added again meanwhile.
const mostTries = 100

// addModel adds the files of a model. One that is removed meanwhile is left out.
func (c Source) addModel(ctx context.Context, a *archiver, m *collection.Model) (err error) {
	var names []string
	var opened []*os.File
	defer func() { err = errors.Join(err, closeAll(opened)) }()
	// All files are opened before the first is read: whoever removes the model, or adds it again,
	// then takes none of them away.
	for range mostTries {
		before, gone := os.Stat(m.Dir)
		if errors.Is(gone, fs.ErrNotExist) {
			return nil
		}
		names, opened, err = openAll(m.Dir)
		if after, gone := os.Stat(m.Dir); err == nil && gone == nil && os.SameFile(before, after) {
			break
		}
		if err == nil { // another folder has the place now
			err = errors.Join(fs.ErrNotExist, closeAll(opened))
			opened = nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err != nil {
		return err
	}
	err = lostError("it is not there")
	if at := slices.Index(names, filepath.Base(m.ModelPath())); at >= 0 {
		err = checkWhole(opened[at], m.Digest)
	}
	if lost, ok := errors.AsType[lostError](err); ok {
		return c.lost("the model of "+m.Name, lost)
	}
	if err != nil {
		return err
	}
	for i, f := range opened {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := a.add(path.Join(voicesPrefix, m.Digest, names[i]), f); err != nil {
			return err
		}
	}
	return nil
}

// openAll opens all files of a folder, and returns their paths from it.
func openAll(dir string) (names []string, opened []*os.File, err error) {
	err = filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		opened = append(opened, f)
		rel, err := filepath.Rel(dir, at)
		names = append(names, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return nil, nil, errors.Join(err, closeAll(opened))
	}
	return names, opened, nil
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Models returns of how many models of added voices the archive has the files.
func (m Manifest) Models() int {
	models := map[string]bool{}
	for _, f := range m.Members {
		if digest, ok := modelFolder(f.Name); ok {
			models[digest] = true
		}
	}
	return len(models)
}

// placeVoices moves the folders of added voices to where they belong. A folder is moved as a whole,
// so that no half of a model is ever found; one of the same model that is there is kept beside it.
func (m *mover) placeVoices(members []Member, from, to string) error {
	placed := map[string]bool{}
	for _, f := range members {
		digest, ok := modelFolder(f.Name)
		if !ok || placed[digest] {
			continue
		}
		placed[digest] = true
		folder := filepath.Join(to, digest)
		if err := m.move(filepath.Join(from, digest), folder); err != nil {
			return fmt.Errorf("put the voices of model %.12s into their place: %w", digest, err)
		}
		m.note(folder)
	}
	return nil
}
