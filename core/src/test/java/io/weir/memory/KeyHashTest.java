package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SipHash-1-3, beside one that is written for obviousness. */
class KeyHashTest {
  private static final long K0 = 0x0706050403020100L;
  private static final long K1 = 0x0f0e0d0c0b0a0908L;
  private static final KeyHash HASH = new KeyHash(K0, K1);

  /** The state of SipHash as its paper has it: four words, rounds over them. */
  private static final class Sip {
    private final long[] v;

    Sip(long tweak) {
      v =
          new long[] {
            K0 ^ ascii("somepseu"),
            K1 ^ ascii("dorandom") ^ tweak,
            K0 ^ ascii("lygenera"),
            K1 ^ ascii("tedbytes")
          };
    }

    private static long ascii(String text) {
      long word = 0;
      for (int i = 0; i < text.length(); i++) {
        word = word << 8 | text.charAt(i);
      }
      return word;
    }

    private void round() {
      half(0, 1, 13);
      half(2, 3, 16);
      v[0] = Long.rotateLeft(v[0], 32);
      half(2, 1, 17);
      half(0, 3, 21);
      v[2] = Long.rotateLeft(v[2], 32);
    }

    private void half(int a, int b, int by) {
      v[a] += v[b];
      v[b] = Long.rotateLeft(v[b], by) ^ v[a];
    }

    /** One round a word of the message, three to finish. */
    long hash(byte[] bytes, int lengthByte, int finalRounds) {
      long word = 0;
      for (int i = 0; i <= bytes.length; i++) {
        if (i > 0 && i % 8 == 0) {
          absorb(word);
          word = 0;
        }
        if (i < bytes.length) {
          word |= (bytes[i] & 0xFFL) << 8 * (i % 8);
        }
      }
      absorb(word | (long) lengthByte << 56);
      v[2] ^= 0xFF;
      for (int i = 0; i < finalRounds; i++) {
        round();
      }
      return v[0] ^ v[1] ^ v[2] ^ v[3];
    }

    private void absorb(long word) {
      v[3] ^= word;
      round();
      v[0] ^= word;
    }
  }

  private static long narrow(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.ISO_8859_1);
    return new Sip(0).hash(bytes, bytes.length & 0xFF, 3);
  }

  private static long wide(String key) {
    byte[] bytes = new byte[2 * key.length()];
    for (int i = 0; i < key.length(); i++) {
      bytes[2 * i] = (byte) key.charAt(i);
      bytes[2 * i + 1] = (byte) (key.charAt(i) >> 8);
    }
    return new Sip(0xee).hash(bytes, key.length() & 0xFF, 3);
  }

  @ParameterizedTest(name = "{0} characters")
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 255, 256, 257, 5000})
  void isSipHashOfTheCharacters(int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append((char) (i * 7 & 0xFF));
    }
    assertThat(HASH.of(text.toString())).isEqualTo(narrow(text.toString()));
    for (int at = 0; at < Math.min(length, 20); at++) {
      String key = text.substring(0, at) + '\u20ac' + text.substring(at + 1);
      assertThat(HASH.of(key)).as("wide at %d", at).isEqualTo(wide(key));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u00ff", "\u0100", "\ud83d\ude00", "\ud800", "a\u0000b", "日本語", "Ж"})
  void widthIsThatOfTheWidestCharacter(String key) {
    boolean latin = key.chars().allMatch(c -> c < 256);
    assertThat(HASH.of(key)).isEqualTo(latin ? narrow(key) : wide(key));
  }

  @Test
  void bytesOfAWideKeyAreNotThoseOfANarrowOne() {
    assertThat(HASH.of("\u4141\u4141")).isNotEqualTo(HASH.of("AAAA"));
    assertThat(HASH.of("\u0101")).isNotEqualTo(HASH.of("\u0001\u0001"));
  }

  @Test
  void theSecretMatters() {
    assertThat(new KeyHash(K0 + 1, K1).of("a")).isNotEqualTo(HASH.of("a"));
    assertThat(new KeyHash(K0, K1 + 1).of("a")).isNotEqualTo(HASH.of("a"));
    assertThat(KeyHash.shared().of("a")).isEqualTo(KeyHash.shared().of("a"));
    assertThat(KeyHash.shared().of("a")).isNotEqualTo(new KeyHash(0, 0).of("a"));
  }

  /** Sequential keys fill places evenly: chi-squared of 256 cells, by each byte of the hash. */
  @Test
  void spreadsSequentialKeys() {
    int n = 100_000;
    int[][] cells = new int[8][256];
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < n; i++) {
      long hash = HASH.of("user:" + i);
      seen.add(hash);
      for (int b = 0; b < 8; b++) {
        cells[b][(int) (hash >>> 8 * b & 0xFF)]++;
      }
    }
    assertThat(seen).hasSize(n);
    for (int[] cell : cells) {
      double expected = n / 256.0;
      double chi = 0;
      for (int count : cell) {
        chi += (count - expected) * (count - expected) / expected;
      }
      assertThat(chi).as("255 degrees of freedom: 255 ± 23").isBetween(150.0, 370.0);
    }
  }

  @Test
  void flippingABitOfTheKeyFlipsHalfOfTheHash() {
    Random random = new Random(1);
    long flipped = 0;
    for (int i = 0; i < 1000; i++) {
      char[] key = "tenant-0000/user-0000".toCharArray();
      long before = HASH.of(new String(key));
      key[random.nextInt(key.length)] ^= (char) (1 << random.nextInt(7));
      flipped += Long.bitCount(before ^ HASH.of(new String(key)));
    }
    assertThat(flipped / 1000.0).isBetween(31.0, 33.0);
  }
}
