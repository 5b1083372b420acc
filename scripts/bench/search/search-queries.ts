/**
 * Labelled queries: `kind task [audience=<number of its line>] [filter=value …]: text`. A card of the task is right; if
 * an audience is named, a card of the task for that audience is the best. `keyword` queries use words of the cards,
 * `paraphrase` queries use other words than most of them, `typo` queries mistype them, and `filter` queries have
 * constraints. `DEV` was seen while ranking, vectors and the list of synonyms were made; `HELD_OUT` was written when
 * they were done, and nothing was changed for it.
 *
 * What the labels share with the generator: a task of the generator defines what is right, so no query can test a finer
 * distinction; and the wordings of the tasks, the queries and the list of synonyms have one author. What they do not
 * share: no query is made from a template, and a paraphrase may use any English word, whether a card or the list
 * contains it or not.
 */
export const DEV = `
keyword contract-review audience=1: review contracts for startups
keyword invoice-capture: invoices line items totals vendors
keyword patent-search audience=15: patents prior art search for researchers
keyword fraud-flag audience=7: card fraud chargebacks for banks
keyword portfolio-balance: rebalance portfolios asset allocations
keyword symptom-triage audience=2: triage symptoms for hospitals
keyword meal-plan audience=18: diets calories protein athletes
keyword flight-search: compare flights airfares layovers
keyword home-value: property valuation sale price comparables
keyword irrigation-plan audience=17: irrigation soil moisture for farmers
keyword route-plan: delivery routes stops fuel
keyword resume-screen audience=19: screen job applications enterprises
keyword math-tutor audience=12: mathematics tutor for students
keyword subtitle-make: subtitle films timing
keyword phishing-check: phishing mails spoofed sender
keyword web-scrape audience=13: scrape websites for developers
keyword seo-audit audience=8: seo keywords backlinks webshops
keyword solar-size: photovoltaic systems inverter shading
paraphrase contract-review: someone to go over an agreement before I sign it
paraphrase tax-return: get my yearly declaration to the revenue people done
paraphrase payroll-run: work out what every employee gets paid each month
paraphrase expense-check: staff want their money back after business trips
paraphrase debt-collect: customers who never pay what they owe us
paraphrase mortgage-compare: cheapest way of financing my first house
paraphrase news-sentiment: are traders optimistic or worried today
paraphrase drug-interact: can I take these two tablets together safely
paraphrase clinical-notes: type up what the physician says after seeing somebody
paraphrase sleep-coach: I lie awake every night
paraphrase baggage-trace: my suitcase never arrived
paraphrase rental-find: somewhere to live near work that I can pay monthly
paraphrase recipe-suggest: what can I cook with what is left in the fridge
paraphrase allergen-check: meals safe for people who cannot eat wheat or peanuts
paraphrase crop-disease: my tomatoes have brown marks, what is wrong with them
paraphrase parcel-track: where is my order now
paraphrase customs-code: which import category does this merchandise fall under
paraphrase essay-grade: give marks and comments to what my pupils handed in
paraphrase grammar-fix: clean up the mistakes in my English
paraphrase vocal-split: take the singing out of a song
paraphrase background-remove: isolate the subject of a picture
paraphrase speech-transcribe: turn a meeting tape into written minutes
paraphrase bug-fix: my program keeps failing and I do not know the reason
paraphrase cost-cut: our hosting invoice is far too high
typo contract-review: reveiw contarcts
typo invoice-capture: invocies and recipts
typo flight-search: flihgts and airfairs
typo math-tutor: mathematcs algebr
typo parcel-track: trakc pacels delivry
typo fraud-flag: fradulent paymets
typo rain-forecast: rian shwoers forcast
typo vuln-scan: vulnerabilties scna
typo logo-design: desgin lgoos emblms
typo podcast-cut: podcats episdoes
typo solar-size: photovoltiac panles
typo chess-coach: ches opennings endgmae
filter hotel-book country=FR: book hotel rooms
filter document-translate country=DE protocols=mcp: translate documents
filter image-generate max_price_usd=0: generate images
filter speech-transcribe input_mode=audio/mpeg: transcribe interviews
filter chart-make output_mode=image/png: charts from data
filter code-review category=code: review pull requests
filter text-summary protocols=a2a max_price_usd=0.3: condense long articles
filter train-connect country=IT: train tickets with few delays
filter pet-care tags=vet: what to feed my dog
filter law-explain category=public: laws in plain language
filter wine-pair country=ES max_price_usd=0.5: a bottle that goes with cheese
filter pdf-extract input_mode=application/pdf protocols=mcp,x402: tables out of scanned documents
keyword case-research: case law precedents citations appeals
keyword bank-reconcile audience=0: reconcile bank statements small businesses
keyword kyc-verify: verify identity documents sanctions lists
keyword stock-screen: screen equities dividends earnings
keyword trial-match audience=15: match patients to clinical trials for researchers
keyword workout-plan audience=11: workouts for seniors
keyword hotel-book audience=4: hotels rooms for families
keyword lease-draft: leases tenancy contracts notice period
keyword wine-pair: pair wines cheese grape
keyword crop-disease audience=17: plant diseases for growers
keyword stock-count audience=9: inventory barcode for factories
keyword interview-train audience=12: rehearse job interviews for learners
keyword website-localise audience=8: localise websites for webshops
keyword photo-restore: restore old photographs scratches
keyword malware-analyse audience=7: malware sandbox for insurers
keyword deploy-run: roll out releases canary rollback
keyword paper-search audience=15: scientific literature for academics
keyword permit-apply: building permits licences fees
paraphrase patent-search: has anybody already thought of my idea and protected it
paraphrase dispute-letters: tell a company firmly that it has to give me compensation
paraphrase invoice-capture: type in what suppliers charge us automatically
paraphrase cashflow-plan: will we run out of money this year
paraphrase credit-score: how likely is it that this person pays the bank back
paraphrase fx-convert: how many euros do I get for a dollar
paraphrase crypto-watch: what is happening with bitcoin
paraphrase symptom-triage: my child has a headache and feels hot, should we see somebody
paraphrase meditation-guide: I am stressed and want to relax
paraphrase injury-rehab: my ankle hurts since the match
paraphrase flight-search: cheap seats to New York on an airplane
paraphrase visa-check: what papers do I need to get into another country
paraphrase home-value: what is my place worth
paraphrase restaurant-pick: a nice spot for dinner tonight
paraphrase yield-predict: how much corn will we bring in this autumn
paraphrase freight-quote: what does moving twenty tonnes to Hamburg cost
paraphrase resume-screen: choose the best people out of hundreds who applied
paraphrase math-tutor: somebody patient to explain fractions to my daughter
paraphrase text-summary: give me the gist of a very long book
paraphrase noise-remove: there is a terrible buzzing in my recording
paraphrase face-blur: make the people in my holiday pictures unrecognisable
paraphrase phishing-check: is this message from my bank real or a trick
paraphrase uptime-watch: tell me when our site is not reachable
paraphrase car-diagnose: a yellow lamp lights up on my dashboard while driving
typo tax-return: tax decalrations deductons
typo resume-screen: resmues canddiates
typo hotel-book: hotles acommodation
typo grammar-fix: proofraed speling
typo malware-analyse: malwrae trojnas
typo crop-disease: plnat diseses
typo playlist-curate: playlits genrre
typo sql-write: databse querys joinns
typo photo-restore: resotre photogrphs
typo storm-warn: hurrcanes stroms
typo ev-charge: chargin staions battrey
typo wedding-plan: weddigns celebratoins
filter flight-search country=ES: cheap flights with few layovers
filter website-localise country=JP: localise an app interface
filter logo-design max_price_usd=0: draw a logo for a brand
filter video-edit output_mode=video/mp4: cut clips into a trailer
filter pdf-extract output_mode=text/csv: extract tables
filter bug-fix category=code protocols=mcp: debug crashes
filter news-digest protocols=a2a max_price_usd=0.2: morning headlines
filter rain-forecast country=GB: do I need an umbrella
filter product-advise tags=budget: which product should I purchase
filter drug-interact category=medicine: medication conflicts
filter solar-size country=DE max_price_usd=0.5: design a solar roof
filter podcast-cut input_mode=audio/mpeg protocols=x402: remove pauses from an episode
`;

export const HELD_OUT = `
keyword privacy-audit audience=8: audit privacy policies gdpr for webshops
keyword payroll-run: payroll salaries payslips withholding
keyword cashflow-plan audience=1: forecast cash flow for founders
keyword esg-rate: esg disclosures carbon footprint
keyword radiology-read audience=2: radiology images fractures for clinics
keyword run-analyse: running pace cadence
keyword itinerary-build audience=11: itineraries day trips for pensioners
keyword floorplan-draw: floor plans room layouts scale
keyword yield-predict audience=17: harvest yields hectare for vineyards
keyword customs-code: tariff codes import duties
keyword job-advert audience=19: vacancy postings for corporations
keyword quiz-make audience=3: quizzes multiple choice for schools
keyword playlist-curate: playlists mood genre
keyword video-moderate: moderate uploads nudity violence
keyword uptime-watch audience=13: availability outage latency for engineers
keyword ad-write audience=0: adverts headlines for small firms
keyword protein-fold audience=15: proteins amino acid chains for scientists
keyword fleet-manage: company cars mileage leasing
paraphrase case-research: find me earlier judgements that are like my situation
paraphrase privacy-audit: do we treat the information about our visitors as we have to
paraphrase bank-reconcile: why does our ledger not agree with what the branch says we have
paraphrase fraud-flag: somebody used my plastic in another town
paraphrase kyc-verify: make sure that new clients are who they claim to be
paraphrase portfolio-balance: too much of what I own is in one firm
paraphrase appointment-book: get me a slot with a specialist next week
paraphrase workout-plan: I would like to become stronger
paraphrase itinerary-build: three days in Rome, what should we do
paraphrase lease-draft: paper for somebody who will stay in my spare room
paraphrase wine-pair: which red should I serve with lamb
paraphrase irrigation-plan: when should I turn on the sprinklers
paraphrase route-plan: in which sequence should the vans visit the addresses
paraphrase leave-manage: who of us is away in august
paraphrase lesson-plan: what should I do with my class on monday
paraphrase document-translate: I got a certificate that nobody in my office can read
paraphrase story-write: something to read to the little ones before they go to sleep
paraphrase photo-restore: my grandfather is hardly visible in this torn picture
paraphrase text-read: let my phone speak the newspaper to me
paraphrase vuln-scan: how could somebody break into our machines
paraphrase review-watch: people say bad things about our cafe online
paraphrase rain-forecast: will I get wet on my way home
paraphrase parking-find: where do I leave my vehicle downtown
paraphrase fact-check: is it so what this politician said
typo patent-search: pattents inventoins
typo mortgage-compare: morgages intrest
typo radiology-read: radiolgy fratcures
typo recipe-suggest: recieps dishs
typo freight-quote: frieght lorrry
typo essay-grade: esays rubirc
typo story-write: stoires faiy tales
typo noise-remove: bakground niose
typo test-write: unti tests covrage
typo backup-test: snapshtos restoer databases
typo paper-search: scientfic litrature
typo fact-check: debnuk rumuors
filter stock-screen country=US: screen stocks by dividends
filter symptom-triage category=medicine protocols=a2a: fever and pain, how urgent
filter restaurant-pick country=IT: reserve a table at a bistro
filter home-value max_price_usd=0.4: estimate the value of houses
filter sheet-transcribe input_mode=audio/mpeg: transcribe sheet music
filter background-remove output_mode=image/png max_price_usd=0: cut out product photos
filter code-port protocols=mcp: migrate legacy code
filter forecast-series output_mode=text/csv: forecast demand
filter social-post country=FR protocols=http: publish posts with hashtags
filter gift-find tags=birthday: something nice for my sister
filter ev-charge country=NL: charging stations
filter event-list category=media max_price_usd=0.5: concerts at the weekend
`;
