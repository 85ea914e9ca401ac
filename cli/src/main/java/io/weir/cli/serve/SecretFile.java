package io.weir.cli.serve;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

/** A file that contains only a secret, and maybe a line end. */
public final class SecretFile {
  private static final int MAX_BYTES = 16 * 1024;

  private SecretFile() {}

  /**
   * The secret.
   *
   * @throws IllegalArgumentException if it cannot be read; the message can follow a setting's name
   */
  public static String read(Path path) {
    if (!Files.exists(path)) {
      throw new IllegalArgumentException("'" + path + "' does not exist");
    }
    if (!Files.isRegularFile(path)) { // a pipe could not be read a second time
      throw new IllegalArgumentException("'" + path + "' is not a regular file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      throw new IllegalArgumentException("'" + path + "' cannot be read: " + e.getMessage(), e);
    }
    if (bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException("'" + path + "' is too long for a secret");
    }
    String text = new String(bytes, UTF_8);
    int end = text.length();
    if (text.endsWith("\n")) {
      end -= text.endsWith("\r\n") ? 2 : 1;
    }
    if (end == 0) {
      throw new IllegalArgumentException("'" + path + "' is empty; write the value into it");
    }
    return text.substring(0, end);
  }

  /** Whether any user of the machine can read it: its directories must be accessible too. */
  static boolean isWorldReadable(Path path) {
    try {
      Path real = path.toRealPath();
      if (!Files.getPosixFilePermissions(real).contains(PosixFilePermission.OTHERS_READ)) {
        return false;
      }
      for (Path each = real.getParent(); each != null; each = each.getParent()) {
        if (!Files.getPosixFilePermissions(each).contains(PosixFilePermission.OTHERS_EXECUTE)) {
          return false;
        }
      }
      return true;
    } catch (IOException | UnsupportedOperationException e) {
      return false; // a file system without such permissions
    }
  }
}
