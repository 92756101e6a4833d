package webtest

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
)

// picturesOf are the folders that decide what the pictures of docs/images show: the pages, their
// style, and the servers of the demo.
var picturesOf = []string{"web/templates", "web/static", "crawler/github/fakegithub/fixtures"}

// PicturesFile is the file in docs/images with the hash of what the pictures were made from.
const PicturesFile = "made-from.sha256"

// PicturesHash returns the hash of what pictures of pages are made from. root is the folder of the
// module.
func PicturesHash(root string) (string, error) {
	sum := sha256.New()
	for _, dir := range picturesOf {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			one := sha256.Sum256(b)
			sum.Write([]byte(e.Name()))
			sum.Write(one[:])
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
