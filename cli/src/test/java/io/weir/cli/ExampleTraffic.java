package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;

/**
 * Writes {@code examples/traffic.csv.gz}: an invented day of a shop's API, the same one each time.
 * {@code java cli/src/test/java/io/weir/cli/ExampleTraffic.java examples/traffic.csv.gz} does it.
 *
 * <p>Some three hundred clients come in sessions, most of them rarely, a few all day; more in the
 * evening than at night. A partner synchronises orders at two in the morning, an attacker guesses
 * passwords from four addresses at lunch time, and a scraper reads the catalogue in the afternoon.
 */
final class ExampleTraffic {
  private static final Instant DAY = Instant.parse("2026-03-02T00:00:00Z");
  private static final int CLIENTS = 320;
  private static final int SESSIONS = 2100;

  private static final String[] PAGES = {
    "/api/v1/products", "/api/v1/products/%d", "/api/v1/products/%d/reviews", "/api/v1/cart",
  };

  private final Random random = new Random(20260302);
  private final List<Line> lines = new ArrayList<>();

  private record Line(long millis, String ip, String key, String user, String method, String path) {
    @Override
    public String toString() {
      return String.join(",", DAY.plusMillis(millis).toString(), ip, key, user, method, path);
    }
  }

  /** One that calls: its address, API key and user, each perhaps empty. */
  private record Caller(String ip, String key, String user) {}

  private ExampleTraffic() {}

  /** Writes the file anew: its path is the argument. */
  public static void main(String[] arguments) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(Path.of(arguments[0])))) {
      out.write(text().getBytes(UTF_8));
    }
  }

  /** The whole trace. */
  static String text() {
    ExampleTraffic traffic = new ExampleTraffic();
    traffic.shoppers();
    traffic.partner();
    traffic.guesser();
    traffic.scraper();
    traffic.lines.sort(Comparator.comparingLong(Line::millis));
    StringBuilder text = new StringBuilder("time,ip,api_key,user,method,path\n");
    traffic.lines.forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private void shoppers() {
    for (int i = 0; i < SESSIONS; i++) {
      Caller caller = caller(zipf());
      long at = timeOfDay();
      if (random.nextInt(4) == 0 && !caller.user().isEmpty()) {
        for (int tries = random.nextInt(12) == 0 ? 7 : 1; tries > 0; tries--) {
          add(at, caller, "POST", "/api/v1/login");
          at += 2500 + random.nextInt(4000);
        }
      }
      for (int pages = 1 + random.nextInt(7); pages > 0; pages--) {
        if (random.nextInt(90) == 0) {
          reload(at, caller);
        } else {
          page(at, caller);
        }
        at += 3000 + random.nextInt(40_000);
      }
    }
  }

  /** A page needs several requests at once. */
  private void page(long start, Caller caller) {
    long at = start;
    int kind = random.nextInt(20);
    if (kind < 5) {
      // A search as one types: a request for every letter or two.
      for (int letters = 2 + random.nextInt(8); letters > 0; letters--) {
        add(at, caller, "GET", "/api/v1/search");
        at += 90 + random.nextInt(250);
      }
    } else if (kind == 5 && !caller.user().isEmpty()) {
      add(at, caller, "POST", "/api/v1/orders");
    } else {
      for (int calls = 1 + random.nextInt(4); calls > 0; calls--) {
        add(at, caller, "GET", PAGES[random.nextInt(PAGES.length)].formatted(product()));
        at += 20 + random.nextInt(200);
      }
    }
  }

  /** An impatient user, or a retry loop. */
  private void reload(long start, Caller caller) {
    long at = start;
    for (int calls = 20 + random.nextInt(50); calls > 0; calls--) {
      add(at, caller, "GET", "/api/v1/cart");
      at += 30 + random.nextInt(120);
    }
  }

  private int product() {
    return 1 + (int) Math.min(400, 6 / (1.001 - random.nextDouble()));
  }

  /** A batch: 1,800 calls in about twenty minutes, evenly but for the first, eager minutes. */
  private void partner() {
    Caller partner = new Caller("198.51.100.7", "key-of-eve", "eve");
    long at = Duration.ofHours(2).toMillis();
    for (int i = 0; i < 1800; i++) {
      add(at, partner, "POST", "/api2");
      at += i < 900 ? 300 + random.nextInt(200) : 500 + random.nextInt(400);
    }
  }

  private void guesser() {
    long at = Duration.ofHours(12).plusMinutes(20).toMillis();
    for (int i = 0; i < 1500; i++) {
      String ip = "203.0.113." + (60 + random.nextInt(4));
      add(at, new Caller(ip, "", ""), "POST", "/api/v1/login");
      at += 400 + random.nextInt(2400);
    }
  }

  private void scraper() {
    Caller scraper = new Caller("203.0.113.200", "key-of-mallory", "");
    long at = Duration.ofHours(15).plusMinutes(5).toMillis();
    for (int i = 0; i < 4500; i++) {
      add(at, scraper, "GET", "/api/v1/products/" + (1 + i % 3000));
      // Faster and slower by the quarter of an hour, as it is throttled and tries again.
      at += 60 + random.nextInt(i / 900 % 2 == 0 ? 300 : 1100);
    }
  }

  /** The first callers are as active as many of the last together. */
  private int zipf() {
    double share = random.nextDouble();
    return (int) StrictMath.pow(CLIENTS, share) - 1 + (share > 0.4 ? random.nextInt(3) : 0);
  }

  private static Caller caller(int number) {
    String ip = "192.0.2." + number % 250;
    return switch (number % 5) {
      case 0 -> new Caller(ip, number == 0 ? "key-of-ada" : "key-" + (1000 + number), "u" + number);
      case 1 -> new Caller(ip, number == 1 ? "key-of-bob" : "key-" + (1000 + number), "");
      case 2 -> new Caller(ip, "", "u" + number);
      default -> new Caller("2001:db8:0:" + Integer.toHexString(0x100 + number) + "::1", "", "");
    };
  }

  /** Milliseconds of the day: few at night, most at eight in the evening. */
  private long timeOfDay() {
    while (true) {
      double hour = 24 * random.nextDouble();
      double busy =
          0.10
              + 0.45 * StrictMath.exp(-StrictMath.pow((hour - 11) / 3.2, 2))
              + 0.90 * StrictMath.exp(-StrictMath.pow((hour - 20) / 2.4, 2));
      if (random.nextDouble() < busy) {
        return (long) (hour * 3_600_000);
      }
    }
  }

  private void add(long millis, Caller caller, String method, String path) {
    if (millis < Duration.ofDays(1).toMillis()) {
      lines.add(new Line(millis, caller.ip(), caller.key(), caller.user(), method, path));
    }
  }
}
