package io.weir.rig;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Damages good files: bytes are left out, put in, replaced, doubled and cut off.
 *
 * @param pieces what such files are made of, so that the damage hits more than letters
 */
public record Mutator(List<String> pieces) {
  /** A few changes to {@code good}. */
  public byte[] mutate(byte[] good, Random random) {
    byte[] changed = good;
    for (int i = 1 + random.nextInt(7); i > 0; i--) {
      int from = random.nextInt(changed.length + 1);
      int to = Math.min(changed.length, from + random.nextInt(random.nextInt(10) == 0 ? 200 : 8));
      changed =
          switch (random.nextInt(13)) {
            case 0, 1 -> splice(changed, from, to, new byte[0]);
            case 2, 3 -> splice(changed, from, from, noise(random));
            case 4, 5 -> splice(changed, from, to, noise(random));
            case 6, 7 -> splice(changed, from, from, piece(random));
            case 8, 9 -> splice(changed, from, to, piece(random));
            case 10, 11 -> {
              byte[] copy = Arrays.copyOfRange(changed, from, to);
              int at = random.nextInt(changed.length + 1);
              yield splice(changed, at, at, copy);
            }
            default -> Arrays.copyOf(changed, from);
          };
    }
    return changed;
  }

  private static byte[] noise(Random random) {
    byte[] bytes = new byte[1 + random.nextInt(random.nextInt(10) == 0 ? 20 : 4)];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] piece(Random random) {
    int times = random.nextInt(50) == 0 ? 2000 : 1;
    return pieces.get(random.nextInt(pieces.size())).repeat(times).getBytes(UTF_8);
  }

  private static byte[] splice(byte[] content, int from, int to, byte[] piece) {
    byte[] spliced = new byte[content.length - (to - from) + piece.length];
    System.arraycopy(content, 0, spliced, 0, from);
    System.arraycopy(piece, 0, spliced, from, piece.length);
    System.arraycopy(content, to, spliced, from + piece.length, content.length - to);
    return spliced;
  }
}
