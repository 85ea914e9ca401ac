package io.weir.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The bytes to send to Redis (RESP2): commands one after the other in one reused array. */
final class RespEncoder {
  /** The maximum size of the reused array; a larger one for a rare long batch is released. */
  private static final int KEPT = 256 * 1024;

  private static final byte[] EVAL = "$4\r\nEVAL\r\n".getBytes(StandardCharsets.US_ASCII);

  private byte[] bytes = new byte[16 * 1024];
  private int length;

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  void clear() {
    length = 0;
    if (bytes.length > KEPT) {
      bytes = new byte[KEPT];
    }
  }

  /** Appends the call by the script's digest. */
  void evalSha(ScriptCall scriptCall) {
    room(16);
    count(scriptCall);
    raw(scriptCall.script().command());
    rest(scriptCall);
  }

  /** Appends the call with the script's text, which Redis then caches. */
  void eval(ScriptCall scriptCall) {
    room(16);
    count(scriptCall);
    raw(EVAL);
    bulk(scriptCall.script().text());
    rest(scriptCall);
  }

  private void count(ScriptCall scriptCall) {
    header('*', 3 + scriptCall.keys().length + scriptCall.args().length);
  }

  private void rest(ScriptCall scriptCall) {
    byte[][] keys = scriptCall.keys();
    room(32);
    int digits = keys.length < 10 ? 1 : Integer.toString(keys.length).length();
    header('$', digits);
    number(keys.length);
    lineEnd();
    for (byte[] key : keys) {
      bulk(key);
    }
    for (byte[] arg : scriptCall.args()) {
      bulk(arg);
    }
  }

  /** Appends any command. */
  void command(byte[]... words) {
    room(16);
    header('*', words.length);
    for (byte[] word : words) {
      bulk(word);
    }
  }

  private void bulk(byte[] word) {
    room(word.length + 16);
    header('$', word.length);
    System.arraycopy(word, 0, bytes, length, word.length);
    length += word.length;
    lineEnd();
  }

  private void raw(byte[] encoded) {
    room(encoded.length);
    System.arraycopy(encoded, 0, bytes, length, encoded.length);
    length += encoded.length;
  }

  private void header(char type, int number) {
    bytes[length++] = (byte) type;
    number(number);
    lineEnd();
  }

  private void number(int number) {
    if (number < 10) {
      bytes[length++] = (byte) ('0' + number);
    } else if (number < 100) {
      bytes[length++] = (byte) ('0' + number / 10);
      bytes[length++] = (byte) ('0' + number % 10);
    } else {
      byte[] digits = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(digits, 0, bytes, length, digits.length);
      length += digits.length;
    }
  }

  private void lineEnd() {
    bytes[length++] = '\r';
    bytes[length++] = '\n';
  }

  private void room(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }
}
