package io.weir.bench.service;

import io.weir.bench.fork.Answer;
import io.weir.bench.fork.TalkingJvm;
import io.weir.bench.program.Cores;
import io.weir.bench.service.load.Generator;
import io.weir.bench.service.load.Question;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The load generator, on the clients' core. */
final class Asker implements AutoCloseable {
  private static final List<String> JVM_FLAGS = List.of("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC");

  private final TalkingJvm jvm;
  private final Path file;
  private Optional<Aim> aim = Optional.empty();

  private record Aim(int port, Question question) {}

  /** What came back. */
  record Answered(long good, long bad, double seconds) {}

  Asker(Cores cores) throws IOException, InterruptedException {
    file = Files.createTempFile("bench", ".question");
    jvm = TalkingJvm.start(Generator.class, JVM_FLAGS, List.of());
    jvm.hear("ready");
    cores.moveToClient(jvm.pid());
  }

  /** Asks for a while. */
  Answered ask(int port, Question question, int millis) throws IOException {
    Optional<Aim> next = Optional.of(new Aim(port, question));
    if (!next.equals(aim)) {
      question.write(file);
      jvm.tell("aim", port, file);
      jvm.hear("aimed");
      aim = next;
    }
    jvm.tell("run", millis);
    Answer answer = jvm.hear("run");
    long bad = answer.whole(1);
    if (bad > 0) {
      System.err.println("bad answers: " + bad + "; the first: " + answer.text(3));
    }
    return new Answered(answer.whole(0), bad, answer.whole(2) / 1e9);
  }

  @Override
  public void close() throws IOException {
    jvm.close();
    Files.deleteIfExists(file);
  }
}
