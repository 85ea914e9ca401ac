package io.weir.cli.serve;

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
 * The contents of files at one moment, as digests, because some files contain secrets. Contents and
 * not modification times, so that a replaced symbolic link, as in Kubernetes, is detected too.
 */
public record FileDigests(Map<Path, String> digests) {
  public static FileDigests of(Set<Path> files) {
    Map<Path, String> digests = new LinkedHashMap<>();
    files.forEach(file -> digests.put(file, digest(file)));
    return new FileDigests(digests);
  }

  private static String digest(Path file) {
    if (!Files.isRegularFile(file)) { // a pipe can be read only once, and has been
      return "no file";
    }
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    } catch (IOException e) {
      return e.getClass().getName();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java runtime has SHA-256
    }
  }
}
