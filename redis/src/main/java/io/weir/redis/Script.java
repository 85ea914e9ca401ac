package io.weir.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A Lua script: its text, and the digest by which Redis identifies it once loaded. */
final class Script {
  private final String name;
  private final byte[] text;
  private final byte[] digest;
  private final byte[] command;

  private Script(String name, byte[] text) {
    this.name = name;
    this.text = text;
    try {
      byte[] sha = MessageDigest.getInstance("SHA-1").digest(text);
      this.digest = HexFormat.of().formatHex(sha).getBytes(StandardCharsets.US_ASCII);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
    String words =
        "$7\r\nEVALSHA\r\n$40\r\n" + new String(digest, StandardCharsets.US_ASCII) + "\r\n";
    this.command = words.getBytes(StandardCharsets.US_ASCII);
  }

  /** A script from the files {@code names} beside this class, concatenated. */
  static Script of(String... names) {
    StringBuilder text = new StringBuilder();
    for (String name : names) {
      text.append(read(name));
    }
    return new Script(names[names.length - 1], text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String read(String name) {
    try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("no script " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  byte[] text() {
    return text;
  }

  /** In hexadecimal digits, as EVALSHA requires. */
  byte[] digest() {
    return digest;
  }

  /** {@code EVALSHA digest}, as it is sent. */
  byte[] command() {
    return command;
  }

  @Override
  public String toString() {
    return name;
  }
}
