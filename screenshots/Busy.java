/* A busy JVM for the picture of counting: threads that allocate, sleep, and are born; collections of garbage. */
import java.util.ArrayList;
import java.util.List;

public class Busy {
	static volatile Object sink;

	static void pause(int ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}

	static void allocate() {
		for (;;) {
			byte[][] all = new byte[64][];

			for (int i = 0; i < all.length; i++)
				all[i] = new byte[4096];
			sink = all;
			pause(1);
		}
	}

	public static void main(String[] args) throws InterruptedException {
		for (int i = 0; i < 3; i++)
			new Thread(Busy::allocate, "allocate-" + i).start();
		for (int i = 0;; i++) {
			Thread born = new Thread(() -> sink = new ArrayList<>(List.of(1, 2, 3)), "born-" + i);

			born.start();
			born.join();
			pause(20);
			if (i % 50 == 0)
				System.gc();
		}
	}
}
