package io.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * What files held at one moment, by digests: some hold secrets. Contents and not times, so that
 * links that are turned, as Kubernetes does it, are seen too.
 */
record FileDigests(Map<Path, String> digests) {
  static FileDigests of(Set<Path> files) {
    Map<Path, String> digests = new LinkedHashMap<>();
    files.forEach(file -> digests.put(file, digest(file)));
    return new FileDigests(digests);
  }

  private static String digest(Path file) {
    if (!Files.isRegularFile(file)) { // a pipe can be read once, and has been
      return "no file";
    }
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (IOException e) {
      return e.getClass().getName();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
