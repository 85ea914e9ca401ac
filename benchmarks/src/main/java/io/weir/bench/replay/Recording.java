package io.weir.bench.replay;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.SplittableRandom;

/** Simulated recordings of traffic of many users, with equal probability. */
enum Recording {
  /** CSV with time, user, method and path. */
  CSV("time,user,method,path\n") {
    @Override
    void append(StringBuilder line, long millis, int user, int item) {
      line.append(millis).append(",user").append(user).append(",GET,/api/v1/items/").append(item);
    }
  },
  /** An access log in the combined format. */
  COMBINED("") {
    private final DateTimeFormatter format =
        DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss xx", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);
    private long second;
    private String time = "";

    @Override
    void append(StringBuilder line, long millis, int user, int item) {
      if (millis / 1000 != second) {
        second = millis / 1000;
        time = format.format(Instant.ofEpochSecond(second));
      }
      line.append("203.0.113.").append(user % 256).append(" - user").append(user);
      line.append(" [").append(time).append("] \"GET /api/v1/items/").append(item);
      line.append(
          "?page=2 HTTP/1.1\" 200 5316 \"https://shop.example/\" \"Mozilla/5.0 (X11; Linux");
      line.append(" x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\"");
    }
  };

  private static final long START = 1_790_000_000_000L;

  private final String header;

  Recording(String header) {
    this.header = header;
  }

  abstract void append(StringBuilder line, long millis, int user, int item);

  /** Writes {@code lines} requests of {@code keys} users, a thousand requests a second. */
  void write(Path file, long lines, int keys) throws IOException {
    SplittableRandom random = new SplittableRandom(42);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      out.write(header.getBytes(StandardCharsets.US_ASCII));
      StringBuilder line = new StringBuilder();
      for (long i = 0; i < lines; i++) {
        line.setLength(0);
        append(line, START + i, random.nextInt(keys), random.nextInt(1000));
        line.append('\n');
        out.write(line.toString().getBytes(StandardCharsets.US_ASCII));
      }
    }
  }
}
